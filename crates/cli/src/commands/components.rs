//! `maxend components`: says which component a state is in, or each state with a label, and why.

mod cycles;
mod incoming;
mod trees;
mod why;
mod within;

use crate::args::{ComponentsArgs, ComponentsFormat};
use crate::commands::quotient::components;
use crate::error::Error;
use crate::files;
use crate::load::{self, Extent, Origin, Request, Wanted};
use crate::model::Model;
use crate::model::annotations;
use crate::progress::Progress;
use crate::{interrupt, output};
use cycles::{Cycles, Limits};
use incoming::Incoming;
use mdp_graph::{ComponentKind, Components, MdpGraph, StateId, check_room};
use prism_explicit::Labels;
use report::{Asked, Cycle, Explained, Explanation};
use std::cell::{OnceCell, RefCell};
use std::path::Path;
use why::Lost;

pub(crate) fn run(args: &ComponentsArgs, progress: Progress) -> Result<(), Error> {
    let labels = Origin::named(args.labels.as_deref(), Origin::Beside);
    let valuations = Origin::Beside;
    let wanted = Wanted {
        labels,
        valuations,
        details: Extent::Actions,
        ..Wanted::graph()
    };
    files::read_model(&args.model, valuations, labels)?;
    files::write("the result", args.output.as_deref())?;
    files::warn_of_ending(args.output.as_deref(), &args.format);
    let model = load::load_model(Request {
        deadlocks: args.deadlocks.into(),
        ..Request::new(&args.model, wanted, progress)
    })?;
    let file = &args.model.model;
    let (count, labels) = (model.graph.num_states(), model.states.labels.as_ref());
    let asked = args
        .of
        .iter()
        .map(|of| ask(of, file, count, labels))
        .collect::<Result<Vec<_>, _>>()?;
    let found = components(&model.graph, args.components.into(), progress)?;
    print(args, &model, &found, &asked, progress)
}

/// Returns the states that a value of `--of` names.
fn ask<'a>(
    of: &'a str,
    model: &Path,
    num_states: usize,
    labels: Option<&Labels>,
) -> Result<Asked<'a>, Error> {
    Ok(Asked {
        of,
        is_label: of.is_empty() || !of.bytes().all(|byte| byte.is_ascii_digit()),
        states: annotations::named("--of", of, model, num_states, labels)?,
    })
}

/// Returns all states that were asked for, and those that are explained: states that are named by
/// their numbers, and the first ones with each label.
fn states(asked: &[Asked<'_>], limit: usize) -> [Vec<StateId>; 2] {
    let explained = |asked: &Asked<'_>| match asked.is_label {
        true => asked.states.len().min(limit),
        false => asked.states.len(),
    };
    let all = asked.iter().flat_map(|asked| &asked.states).copied();
    let first = asked
        .iter()
        .flat_map(|asked| asked.states[..explained(asked)].iter().copied());
    [all.collect(), first.collect()].map(|mut states: Vec<StateId>| {
        states.sort_unstable();
        states.dedup();
        states
    })
}

/// Checks that there is memory for explanations. Those of only a few states in components need
/// less.
fn check_memory(graph: &MdpGraph, is_few: bool) -> Result<(), Error> {
    let n = graph.num_states();
    let for_many = [37 * n, 5 * graph.num_choices(), 4 * graph.num_branches()];
    let mut tables = vec![21 * n];
    if !is_few {
        tables.extend(for_many);
    }
    Ok(check_room("explanations", &tables)?)
}

fn print(
    args: &ComponentsArgs,
    model: &Model,
    found: &Components,
    asked: &[Asked<'_>],
    progress: Progress,
) -> Result<(), Error> {
    let graph = &model.graph;
    let [all, explained] = states(asked, args.limit);
    let limits = Limits::default();
    let is_lost = |state: StateId| found.component(state).is_none();
    let has_lost = explained.iter().any(|&state| is_lost(state));
    check_memory(graph, !has_lost && explained.len() <= limits.with_own)?;
    let incoming = OnceCell::new();
    let incoming = || incoming.get_or_init(|| Incoming::new(graph));
    let sccs = match has_lost {
        true => Some(components(graph, ComponentKind::Scc, progress)?),
        false => None,
    };
    let lost = sccs
        .as_ref()
        .map(|sccs| Lost::new(graph, incoming(), found, sccs));
    let cycles = RefCell::new(Cycles::new(graph, found, &incoming, limits));
    let explain = |state: StateId| {
        // Writing ends when the user asks to stop.
        let is_needed = !interrupt::is_cancelled();
        Explanation {
            state,
            cycle: match is_needed {
                true => cycles.borrow_mut().through(state),
                false => Cycle::None,
            },
            leaving: match &lost {
                _ if !is_needed => Vec::new(),
                Some(lost) if is_lost(state) => lost.leaving(state),
                _ => why::leaving(graph, found, state),
            },
        }
    };
    let details = model.choices.actions_as_report();
    let valuations = model.states.valuations.as_ref();
    let valuations = valuations.map(annotations::Valuations::as_report);
    let explained = Explained {
        graph,
        components: found,
        asked,
        states: &all,
        explained: &explained,
        explain: &explain,
        details: details.as_ref(),
        valuations: valuations.as_ref(),
    };
    let file = args.model.model.display().to_string();
    let constants = model.file.report_constants();
    let heading = model.heading(&file, &constants);
    output::write(args.output.as_deref(), |out| match args.format {
        ComponentsFormat::Text => report::write_explained(out, &explained),
        ComponentsFormat::Json => report::write_explained_json(out, &explained, &heading),
    })
}

#[cfg(test)]
mod tests;
