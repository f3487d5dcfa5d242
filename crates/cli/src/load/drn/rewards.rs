//! The rewards of states and choices.

use crate::model::rewards::{Amounts, Rewards};
use drn::Reward;
use mdp_graph::MdpGraph;
use std::collections::TryReserveError;

/// The rewards in a chunk, with a column for each reward model.
#[derive(Default)]
pub(super) struct ChunkRewards {
    states: Vec<Amounts>,
    choices: Vec<Amounts>,
    /// The state of each choice.
    choice_states: Vec<u32>,
}

impl ChunkRewards {
    pub(super) fn new(reward_models: usize) -> Self {
        Self {
            states: vec![Amounts::default(); reward_models],
            choices: vec![Amounts::default(); reward_models],
            choice_states: Vec::new(),
        }
    }

    pub(super) fn state(&mut self, rewards: &[Reward]) -> Result<(), TryReserveError> {
        push_all(&mut self.states, rewards)
    }

    pub(super) fn choice(&mut self, state: u32, rewards: &[Reward]) -> Result<(), TryReserveError> {
        push_all(&mut self.choices, rewards)?;
        if !self.choices.is_empty() {
            self.choice_states.try_reserve(1)?;
            self.choice_states.push(state);
        }
        Ok(())
    }

    /// Returns the memory that the rewards take, in bytes.
    pub(super) fn bytes(&self) -> usize {
        let amounts = self.states.iter().chain(&self.choices).map(Amounts::bytes);
        amounts.sum::<usize>() + size_of_val(self.choice_states.as_slice())
    }
}

/// Appends an amount to each column: 0 if the file has none.
fn push_all(columns: &mut [Amounts], rewards: &[Reward]) -> Result<(), TryReserveError> {
    let mut columns = columns.iter_mut().enumerate();
    columns.try_for_each(|(model, column)| {
        column.try_push_reward(rewards.get(model).copied().unwrap_or(Reward::ZERO))
    })
}

/// Returns all reward structures, without parts in which all rewards are 0.
pub(super) fn joined(
    names: &[String],
    chunks: impl Iterator<Item = ChunkRewards>,
    graph: &MdpGraph,
) -> Vec<Rewards> {
    let mut all = ChunkRewards::default();
    for chunk in chunks {
        append(&mut all.states, chunk.states);
        append(&mut all.choices, chunk.choices);
        all.choice_states.extend(chunk.choice_states);
    }
    let choice_states = &all.choice_states;
    let columns = all.states.into_iter().zip(all.choices);
    let structures = names.iter().zip(columns).map(|(name, (states, choices))| {
        let choices = (!choices.are_zeros()).then(|| with_loops(choices, choice_states, graph));
        Rewards {
            name: Some(name.clone()).filter(|name| !name.is_empty()),
            states: (!states.are_zeros() || choices.is_none()).then_some(states),
            choices,
            branches: None,
        }
    });
    structures.collect()
}

fn append(all: &mut Vec<Amounts>, chunk: Vec<Amounts>) {
    all.resize_with(chunk.len().max(all.len()), Amounts::default);
    for (all, chunk) in all.iter_mut().zip(chunk) {
        all.append(chunk);
    }
}

/// Returns the amounts of choices, with 0 for the self-loops that deadlocks were given.
fn with_loops(choices: Amounts, states: &[u32], graph: &MdpGraph) -> Amounts {
    if states.len() == graph.num_choices() {
        return choices;
    }
    let mut all = Amounts::zeros(graph.num_choices());
    let mut next = 0;
    for state in graph.states() {
        for place in graph.choice_range(state) {
            if states.get(next) != Some(&state.0) {
                continue;
            }
            match choices.fraction(next) {
                Some(fraction) => all.set(place, fraction),
                None => all.values[place] = choices.values[next],
            }
            next += 1;
        }
    }
    all
}
