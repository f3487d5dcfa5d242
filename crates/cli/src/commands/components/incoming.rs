//! The choices that may lead to each state, for searches against the direction of edges.

use mdp_graph::{ChoiceId, ChoiceTranspose, MdpGraph, StateId};
use std::cell::Cell;

/// The choices that may lead to each state, and the state of each choice.
pub(super) struct Incoming {
    into: ChoiceTranspose,
    owners: Vec<StateId>,
    /// The number of choices that were returned, which bounds the work of searches.
    returned: Cell<usize>,
}

impl Incoming {
    pub(super) fn new(graph: &MdpGraph) -> Self {
        let mut owners = vec![StateId(0); graph.num_choices()];
        for state in graph.states() {
            owners[graph.choice_range(state)].fill(state);
        }
        Self {
            into: ChoiceTranspose::new(graph),
            owners,
            returned: Cell::new(0),
        }
    }

    /// Returns the choices that may lead to a state, each with its own state.
    pub(super) fn choices_into(
        &self,
        state: StateId,
    ) -> impl Iterator<Item = (ChoiceId, StateId)> + '_ {
        let choices = self.into.choices_into(state);
        self.returned.set(self.returned.get() + choices.len());
        choices
            .iter()
            .map(|&choice| (choice, self.owners[choice.index()]))
    }

    #[cfg(test)]
    pub(super) fn returned(&self) -> usize {
        self.returned.get()
    }
}
