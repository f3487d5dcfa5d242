//! The rows from which a layout can be made: plain edges, the choices of a model, and the choices
//! that lead to a state.

use super::segments::Entry;
use mdp_graph::{ChoiceId, ChoiceTranspose, Digraph, MdpGraph, StateId, transpose};

/// The entries of each state, by its old number, in the order of the layout.
pub(crate) trait Rows: Sync {
    fn num_states(&self) -> usize;
    fn len(&self, state: StateId) -> usize;
    fn entries(&self, state: StateId) -> impl Iterator<Item = Entry>;
    /// Returns the largest group of any entry.
    fn max_group(&self) -> u32;
}

/// Edges as compressed sparse rows. Unlike in a [`Digraph`], edges may repeat, and may have any
/// order.
#[derive(Clone, Copy, Debug)]
pub struct EdgeRows<'a> {
    /// `n + 1` offsets into the targets, ascending from 0.
    pub offsets: &'a [u32],
    /// The targets, states below `n`.
    pub targets: &'a [StateId],
}

impl<'a> From<&'a Digraph> for EdgeRows<'a> {
    fn from(graph: &'a Digraph) -> Self {
        Self {
            offsets: graph.offsets(),
            targets: graph.targets(),
        }
    }
}

impl EdgeRows<'_> {
    /// Returns the offsets and the targets of the reversed edges.
    pub(super) fn transposed(&self) -> (Vec<u32>, Vec<u32>) {
        transpose(
            &self.offsets[1..],
            StateId::as_numbers(self.targets),
            self.num_states(),
        )
    }

    fn row(&self, state: StateId) -> &[StateId] {
        let s = state.index();
        &self.targets[self.offsets[s] as usize..self.offsets[s + 1] as usize]
    }
}

impl Rows for EdgeRows<'_> {
    fn num_states(&self) -> usize {
        self.offsets.len() - 1
    }

    fn len(&self, state: StateId) -> usize {
        self.row(state).len()
    }

    fn entries(&self, state: StateId) -> impl Iterator<Item = Entry> {
        self.row(state)
            .iter()
            .map(|&state| Entry { group: 0, state })
    }

    fn max_group(&self) -> u32 {
        0
    }
}

/// The branches of a model, choice after choice.
pub(super) struct Choices<'a>(pub(super) &'a MdpGraph);

impl Rows for Choices<'_> {
    fn num_states(&self) -> usize {
        self.0.num_states()
    }

    fn len(&self, state: StateId) -> usize {
        self.0.successors(state).len()
    }

    fn entries(&self, state: StateId) -> impl Iterator<Item = Entry> {
        self.0.choices(state).zip(0..).flat_map(|(choice, group)| {
            self.0
                .targets(choice)
                .iter()
                .map(move |&state| Entry { group, state })
        })
    }

    fn max_group(&self) -> u32 {
        max_group(self.0)
    }
}

/// The branches of a model by target: the source of each branch, and the number of its choice.
pub(super) struct Incoming<'a> {
    graph: &'a MdpGraph,
    transpose: ChoiceTranspose,
    /// The state of each choice.
    source: Vec<StateId>,
}

impl<'a> Incoming<'a> {
    pub(super) fn new(graph: &'a MdpGraph) -> Self {
        let sources = graph
            .states()
            .flat_map(|state| graph.choices(state).map(move |_| state));
        Self {
            graph,
            transpose: ChoiceTranspose::new(graph),
            source: sources.collect(),
        }
    }

    fn entry(&self, choice: ChoiceId) -> Entry {
        let state = self.source[choice.index()];
        Entry {
            group: choice.0 - self.graph.choice_offsets()[state.index()],
            state,
        }
    }
}

impl Rows for Incoming<'_> {
    fn num_states(&self) -> usize {
        self.graph.num_states()
    }

    fn len(&self, state: StateId) -> usize {
        self.transpose.choices_into(state).len()
    }

    fn entries(&self, state: StateId) -> impl Iterator<Item = Entry> {
        self.transpose
            .choices_into(state)
            .iter()
            .map(|&choice| self.entry(choice))
    }

    fn max_group(&self) -> u32 {
        max_group(self.graph)
    }
}

fn max_group(graph: &MdpGraph) -> u32 {
    let counts = graph
        .choice_offsets()
        .windows(2)
        .map(|pair| pair[1] - pair[0]);
    counts.max().unwrap_or(0).saturating_sub(1)
}
