//! Explicit transitions, with labels and values of variables in files beside them.

use super::files::warn_of_older;
use super::{blocks, labels, names, rewards};
use crate::error::Error;
use crate::model::Model;
use crate::model::annotations::Valuations;
use crate::model::choices::Details;
use crate::model::states::StateFacts;
use crate::output::{self, Outputs};
use crate::progress::{Progress, Unit};
use mdp_graph::StateId;
use prism_explicit::{
    Choice, Dialect, Labels, ModelType, Observations, States, TransitionsInfo, TransitionsWriter,
    Value, Visitor, WriteOptions, is_variable,
};
use std::borrow::Cow;
use std::io::{self, Write};
use std::iter;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Rejects models that the format cannot express.
fn check(model: &Model, dialect: Dialect) -> Result<(), Error> {
    if model.states.markovian.is_some() {
        let message = "explicit transitions cannot hold a Markov automaton: write DRN or UMB";
        return Err(Error::wrong(message.to_owned()));
    }
    if dialect == Dialect::Storm {
        check_storm(model.model_type)?;
    }
    if model.states.players.is_some() {
        let message = "explicit transitions cannot hold the players of a game: write UMB";
        return Err(Error::wrong(message.to_owned()));
    }
    Ok(())
}

/// Rejects types of models that Storm's dialect does not have.
pub(crate) fn check_storm(of: ModelType) -> Result<(), Error> {
    if of.has_observations() {
        let message = "Storm's dialect cannot hold observations: write PRISM's, DRN or UMB";
        return Err(Error::wrong(message.to_owned()));
    }
    if of.has_intervals() {
        let message =
            "Storm's dialect cannot hold intervals of probabilities: write PRISM's, DRN or UMB";
        return Err(Error::wrong(message.to_owned()));
    }
    Ok(())
}

/// Writes a model that was read with all of its data: OUT Y.tra, Y.lab beside it, and Y.sta in
/// PRISM's dialect. Returns the files that it wrote.
pub(super) fn write(
    model: &Model,
    dialect: Dialect,
    outputs: &mut Outputs,
    out: &Path,
    progress: Progress,
) -> Result<Vec<PathBuf>, Error> {
    let Some(details) = &model.choices.details else {
        return Ok(Vec::new());
    };
    check(model, dialect)?;
    if dialect == Dialect::Storm && model.model_type == ModelType::Lts {
        tracing::warn!("an LTS is written as an MDP whose choices have probability 1");
    }
    let has_actions = || details.actions.iter().any(|&action| action != 0);
    if !WriteOptions::new(dialect).has_actions(model.model_type) && has_actions() {
        warn_of_actions();
    }
    let names = names::writable(details, "identifiers", is_identifier);
    let graph = &model.graph;
    let info = info_of(model, dialect);
    let reward_files = match output::is_stream(out) {
        true => Vec::new(),
        false => rewards::files(model, dialect, out)?,
    };
    let (total, written) = (graph.num_branches() as u64, AtomicU64::new(0));
    progress.track("writing", Unit::Branches, total, &written, || {
        outputs.write(out, |out| {
            write_transitions(out, model, details, &names, &info, &written)
        })
    })?;
    if output::is_stream(out) {
        let has_labels =
            labels_of(&model.states, dialect, &info).is_some_and(|all| !all.names().is_empty());
        warn_of_files([
            (has_labels, "labels"),
            (model.states.valuations.is_some(), "values of variables"),
            (!model.rewards.is_empty(), "rewards"),
        ]);
        return Ok(Vec::new());
    }
    let mut files = vec![out.to_owned()];
    if let Some(labels) = labels_of(&model.states, dialect, &info) {
        files.extend(labels::write(&labels, dialect, outputs, out)?);
    }
    let seen = model.states.observations.as_ref();
    if let Some(values) = seen.and_then(|seen| seen.values.as_ref()) {
        files.push(write_observations(values, outputs, out)?);
    }
    files.extend(rewards::write(model, outputs, reward_files)?);
    if let Some(valuations) = &model.states.valuations {
        let num_states = graph.num_states() as u32;
        files.extend(write_states(valuations, num_states, dialect, outputs, out)?);
    }
    warn_of_older(out, &files);
    Ok(files)
}

/// Warns of data that go into files beside OUT, and so cannot be written if OUT is standard output.
pub(crate) fn warn_of_files<const N: usize>(files: [(bool, &str); N]) {
    let left_out = files.into_iter().filter(|(is_there, _)| *is_there);
    let names: Vec<&str> = left_out.map(|(_, name)| name).collect();
    if let [others @ .., last] = names.as_slice() {
        let all = match others {
            [] => (*last).to_owned(),
            _ => format!("{} and {last}", others.join(", ")),
        };
        tracing::warn!("left out: {all}, which a stream cannot hold");
    }
}

/// Returns the labels of a model. The initial states are included if the transitions do not name
/// them and PRISM would assume others.
fn labels_of<'m>(
    states: &'m StateFacts,
    dialect: Dialect,
    info: &TransitionsInfo,
) -> Option<Cow<'m, Labels>> {
    let labels = states.labels.as_ref().map(Cow::Borrowed);
    let is_known = match dialect {
        Dialect::Prism => states.initial == [0] || !info.initial_states.is_empty(),
        Dialect::Storm => false,
    };
    match is_known {
        true => labels,
        false => {
            labels::with_initial_states(states.labels.clone(), &states.initial).map(Cow::Owned)
        }
    }
}

/// Returns the information that precedes the transitions.
fn info_of(model: &Model, dialect: Dialect) -> TransitionsInfo {
    let graph = &model.graph;
    let mut info = TransitionsInfo::new(
        dialect,
        model.model_type,
        graph.num_states() as u32,
        graph.num_choices() as u64,
        graph.num_branches() as u64,
    );
    // In other formats, the initial states are a label.
    if model.file.format == "PRISM explicit" {
        info.initial_states.clone_from(&model.states.initial);
    }
    if let Some(seen) = &model.states.observations {
        info.initial_states = model.initial_states();
        info.observations = Some(Observations {
            count: seen.count as u32,
            of_states: seen.of_states.clone(),
        });
    }
    info
}

/// Writes Y.obs beside OUT Y.tra, and returns its name.
pub(crate) fn write_observations(
    values: &States,
    outputs: &mut Outputs,
    out: &Path,
) -> Result<PathBuf, Error> {
    let path = output::beside(out, "obs");
    outputs.write(&path, |out| {
        let rows = values.rows().map(prism_explicit::Row::values);
        prism_explicit::write_observations(out, values.variables(), rows)
    })?;
    Ok(path)
}

fn write_transitions(
    out: &mut (dyn Write + Send),
    model: &Model,
    details: &Details,
    names: &[&str],
    info: &TransitionsInfo,
    written: &AtomicU64,
) -> io::Result<()> {
    let graph = &model.graph;
    let mut writer = TransitionsWriter::new(out, WriteOptions::new(info.dialect), info)?;
    let format = writer.line_format();
    let make = |states: Range<u32>| {
        let mut block = format.block(states.clone());
        for state in states.clone().map(StateId) {
            visit_choices(model, details, names, state, &mut block);
        }
        (states.end, block)
    };
    blocks::in_order(&blocks::by_branches(graph), make, |(end, block)| {
        written.store(blocks::branches_before(graph, end), Ordering::Relaxed);
        writer.append(block)
    })?;
    writer.finish().map(drop)
}

/// Shows the choices of a state to a visitor.
fn visit_choices(
    model: &Model,
    details: &Details,
    names: &[&str],
    state: StateId,
    visitor: &mut impl Visitor,
) {
    let graph = &model.graph;
    for (index, choice) in (0..).zip(graph.choices(state)) {
        let offsets = &graph.branch_offsets()[choice.index()..];
        let branches = offsets[0] as usize..offsets[1] as usize;
        let lower = model.choices.lower_bounds.as_deref();
        let action = names[details.actions[choice.index()] as usize];
        visitor.choice(Choice {
            state: state.0,
            index,
            action: Some(action).filter(|action| !action.is_empty()),
            targets: StateId::as_numbers(graph.targets(choice)),
            values: &details.values[branches.clone()],
            lower: lower.map_or(&[], |lower| &lower[branches]),
            branch_actions: &[],
        });
    }
}

/// Returns whether a name is an identifier. Explicit files cannot contain other names.
fn is_identifier(name: &str) -> bool {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    name.chars().all(is_word) && !name.starts_with(|c: char| c.is_ascii_digit())
}

/// Warns that the names of actions are left out.
pub(crate) fn warn_of_actions() {
    tracing::warn!("left out: the names of actions, which Storm does not take in a Markov chain");
}

/// Writes the values of some variables, given by number, as a states file of PRISM.
fn write_rows(
    out: &mut (dyn Write + Send),
    valuations: &Valuations,
    num_states: u32,
    variables: &[usize],
) -> io::Result<()> {
    let names: Vec<String> = variables
        .iter()
        .map(|&i| valuations.names()[i].clone())
        .collect();
    prism_explicit::write_states(&mut *out, &names, iter::empty::<[Value; 0]>())?;
    let make = |states: Range<u32>| {
        let mut text = Vec::new();
        for state in states {
            let value = |&i: &usize| match valuations.typed_value(StateId(state), i) {
                report::Value::Bool(value) => Value::Bool(value),
                report::Value::Int(value) => Value::Int(value),
            };
            prism_explicit::push_row(&mut text, state as usize, variables.iter().map(value));
        }
        text
    };
    blocks::in_order(&blocks::by_states(num_states), make, |text| {
        out.write_all(&text)
    })
}

/// Writes Y.sta beside OUT Y.tra, and returns its name; Storm's dialect has no such file.
pub(crate) fn write_states(
    valuations: &Valuations,
    num_states: u32,
    dialect: Dialect,
    outputs: &mut Outputs,
    out: &Path,
) -> Result<Option<PathBuf>, Error> {
    if dialect == Dialect::Storm {
        tracing::warn!("left out: the values of variables, which Storm's dialect cannot hold");
        return Ok(None);
    }
    let path = output::beside(out, "sta");
    let variables = names::variables_that_fit(valuations, is_variable);
    outputs.write(&path, |out| {
        write_rows(out, valuations, num_states, &variables)
    })?;
    Ok(Some(path))
}
