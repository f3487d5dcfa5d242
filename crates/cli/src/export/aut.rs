//! Aldebaran files: a labelled transition system, or mCRL2's form with probabilities.

use super::blocks;
use crate::error::Error;
use crate::model::Model;
use crate::model::choices::Details;
use crate::model::rewards::Rewards;
use crate::output::Outputs;
use crate::progress::{Progress, Unit};
use cycle_mean::Ratio;
use lts_formats::{AutBlock, AutWriter, INTERNAL, has_fraction};
use mdp_graph::{MdpGraph, StateId};
use prism_explicit::ModelType;
use std::io::{self, Write};
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

/// Writes a model that was read with all of its data. Choices without an action get the internal
/// action.
pub(super) fn write(
    model: &Model,
    outputs: &mut Outputs,
    out: &Path,
    progress: Progress,
) -> Result<(), Error> {
    let Some(details) = &model.choices.details else {
        return Ok(());
    };
    if model.model_type == ModelType::Ctmc {
        let message = "an Aldebaran file cannot hold the rates of a CTMC";
        return Err(Error::wrong(message));
    }
    if model.states.markovian.is_some() {
        let message = "an Aldebaran file cannot hold the rates of a Markov automaton";
        return Err(Error::wrong(message));
    }
    if model.choices.lower_bounds.is_some() {
        let message = "an Aldebaran file cannot hold intervals of probabilities";
        return Err(Error::wrong(message));
    }
    if model.states.players.is_some() {
        let message = "an Aldebaran file cannot hold the players of a game";
        return Err(Error::wrong(message));
    }
    check_probabilities(&model.graph, details, out)?;
    warn_of_losses(model, details);
    let initial = model.initial_states();
    if initial.len() > 1 {
        tracing::warn!("an Aldebaran file has one initial state: the first is used");
    }
    // The empty model has no initial state. The writer reports this.
    let initial: Vec<(u32, f64)> = initial
        .first()
        .map(|&state| (state, 1.0))
        .into_iter()
        .collect();
    let (total, written) = (model.graph.num_branches() as u64, AtomicU64::new(0));
    progress.track("writing", Unit::Branches, total, &written, || {
        outputs.write(out, |out| {
            write_transitions(out, &model.graph, details, &initial, &written)
        })
    })
}

/// Rejects probabilities that are not fractions of numbers that fit.
fn check_probabilities(graph: &MdpGraph, details: &Details, out: &Path) -> Result<(), Error> {
    let wrong = details
        .values
        .iter()
        .position(|&value| !has_fraction(value));
    let Some(branch) = wrong else {
        return Ok(());
    };
    let before = |ends: &[u32], place: usize| ends.partition_point(|&end| end as usize <= place);
    let choice = before(&graph.branch_offsets()[1..], branch);
    let state = before(&graph.choice_offsets()[1..], choice);
    let own = choice - graph.choice_offsets()[state] as usize;
    let message = format!(
        "choice {own} of state {state} has the probability {:e}, which is no fraction of numbers \
         below 2^128, as an Aldebaran file needs",
        details.values[branch]
    );
    Err(Error::of_file(&out.display().to_string(), message))
}

/// Warns of data that an Aldebaran file cannot express.
fn warn_of_losses(model: &Model, details: &Details) {
    let labels = model
        .states
        .labels
        .as_ref()
        .map_or(&[][..], |labels| labels.names());
    let known = ["init", "deadlock"];
    if labels.iter().any(|name| !known.contains(&name.as_str())) {
        tracing::warn!("left out: labels of states, which an Aldebaran file cannot hold");
    }
    if model.states.observations.is_some() {
        tracing::warn!("left out: observations, which an Aldebaran file cannot hold");
    }
    if model.states.valuations.is_some() {
        tracing::warn!("left out: the values of variables, which an Aldebaran file cannot hold");
    }
    if !model
        .rewards
        .iter()
        .all(|rewards| are_labels(rewards, details))
    {
        tracing::warn!("left out: rewards, which an Aldebaran file cannot hold beside labels");
    }
}

/// Returns whether the rewards are the numbers in the labels, which is so if the model comes from
/// an Aldebaran file.
fn are_labels(rewards: &Rewards, details: &Details) -> bool {
    let Some(amounts) = &rewards.choices else {
        return rewards.states.is_none() && rewards.branches.is_none();
    };
    let number = |name: &String| name.parse().ok().map(|number: Ratio| number.to_f64());
    let numbers: Vec<Option<f64>> = details.names.iter().map(number).collect();
    let mut labels = details.actions.iter().zip(amounts.values());
    rewards.states.is_none()
        && rewards.branches.is_none()
        && labels.all(|(&action, &amount)| numbers[action as usize].unwrap_or(0.0) == amount)
}

fn write_transitions(
    out: &mut (dyn Write + Send),
    graph: &MdpGraph,
    details: &Details,
    initial: &[(u32, f64)],
    written: &AtomicU64,
) -> io::Result<()> {
    let (choices, states) = (graph.num_choices() as u64, graph.num_states() as u32);
    let mut writer = AutWriter::new(out, initial, choices, states)?;
    let make = |states: Range<u32>| {
        let mut block = AutBlock::default();
        for state in states.clone().map(StateId) {
            push_state(&mut block, graph, details, state)?;
        }
        Ok((states.end, block))
    };
    blocks::in_order(&blocks::by_branches(graph), make, |made: io::Result<_>| {
        let (end, block) = made?;
        written.store(blocks::branches_before(graph, end), Ordering::Relaxed);
        writer.append(block)
    })?;
    writer.finish().map(drop)
}

/// Appends the transitions of a state.
fn push_state(
    block: &mut AutBlock,
    graph: &MdpGraph,
    details: &Details,
    state: StateId,
) -> io::Result<()> {
    let mut branches: Vec<(u32, f64)> = Vec::new();
    for choice in graph.choices(state) {
        let offsets = &graph.branch_offsets()[choice.index()..];
        let values = &details.values[offsets[0] as usize..offsets[1] as usize];
        let targets = StateId::as_numbers(graph.targets(choice)).iter().copied();
        branches.clear();
        branches.extend(targets.zip(values.iter().copied()));
        let action = &details.names[details.actions[choice.index()] as usize];
        let label = if action.is_empty() { INTERNAL } else { action };
        block.transition(state.0, label, &branches)?;
    }
    Ok(())
}
