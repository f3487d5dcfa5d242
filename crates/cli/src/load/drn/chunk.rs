//! What is kept of a chunk of the text: choices for the graph, labels, rewards and values of
//! variables.

use super::super::part::Part;
use super::rewards::ChunkRewards;
use super::valuations::Columns;
use crate::observations::Observations;
use drn::{Choice, ChunkInfo, Header, State, Visitor};
use prism_explicit::{Dialect, Labels};
use std::collections::HashMap;

/// What is to be kept besides the graph.
#[derive(Clone, Copy)]
pub(super) struct Wants {
    /// Actions and probabilities.
    pub(super) details: bool,
    pub(super) labels: bool,
    pub(super) rewards: bool,
    pub(super) valuations: bool,
}

/// A chunk of the text.
pub(super) struct Chunk {
    part: Part,
    wants: Wants,
    kept: Kept,
}

/// What is kept of a chunk besides the graph.
#[derive(Default)]
pub(super) struct Kept {
    labels: StateLabels,
    observations: Vec<u32>,
    pub(super) rewards: ChunkRewards,
    pub(super) valuations: Columns,
}

impl Chunk {
    pub(super) fn new(header: &Header, chunk: ChunkInfo, wants: Wants) -> Self {
        /// Most branches need at least this many bytes, so that most of the reserved memory is
        /// used.
        const BRANCH: usize = 12;
        let reward_models = match wants.rewards {
            true => header.reward_models.len(),
            false => 0,
        };
        Self {
            part: Part::new(chunk.bytes / BRANCH, wants.details),
            wants,
            kept: Kept {
                rewards: ChunkRewards::new(reward_models),
                ..Kept::default()
            },
        }
    }

    pub(super) fn split(self) -> (Part, Kept) {
        (self.part, self.kept)
    }
}

impl Visitor for Chunk {
    fn state(&mut self, state: State<'_>) {
        if self.wants.labels {
            self.kept.labels.add(state.number, state.labels);
        }
        if self.wants.valuations {
            self.kept.valuations.push(state.valuation);
        }
        self.kept.observations.extend(state.observation);
        self.kept.rewards.state(state.rewards);
    }

    #[inline]
    fn choice(&mut self, choice: Choice<'_>) {
        let Choice {
            state,
            action,
            targets,
            values,
            ..
        } = choice;
        self.part.choice_of_any(state, action, targets, values);
        self.kept.rewards.choice(state, choice.rewards);
    }
}

/// The states of each label, ascending.
#[derive(Default)]
struct StateLabels {
    numbers: HashMap<String, usize>,
    names: Vec<String>,
    states: Vec<Vec<u32>>,
}

impl StateLabels {
    fn add(&mut self, state: u32, labels: &[&str]) {
        for &label in labels {
            let number = self.number(label);
            self.states[number].push(state);
        }
    }

    fn number(&mut self, label: &str) -> usize {
        if let Some(&number) = self.numbers.get(label) {
            return number;
        }
        let number = self.names.len();
        self.numbers.insert(label.to_owned(), number);
        self.names.push(label.to_owned());
        self.states.push(Vec::new());
        number
    }
}

/// The labels of all states, `init` first and then in the order in which they are met.
pub(super) fn labels(kept: &[Kept]) -> Labels {
    let mut all = StateLabels::default();
    all.number("init");
    for chunk in kept {
        let labels = &chunk.labels;
        for (name, states) in labels.names.iter().zip(&labels.states) {
            let number = all.number(name);
            all.states[number].extend(states);
        }
    }
    let named = all.names.into_iter().zip(all.states);
    // A model may say nothing of initial states.
    let named = named.filter(|(name, states)| name != "init" || !states.is_empty());
    Labels::new(Dialect::Prism, named)
}

/// The observations of all states. What is observed in them is not in the file.
pub(super) fn observations(kept: &[Kept]) -> Observations {
    let all = kept.iter().map(|chunk| &chunk.observations[..]);
    let of_states: Vec<u32> = all.collect::<Vec<_>>().concat();
    let largest = of_states.iter().max();
    Observations {
        count: largest.map_or(0, |&largest| u64::from(largest) + 1),
        of_states,
        values: None,
    }
}
