//! The claims about an exploration.

use mdp_graph::{Deadlocks, MdpGraph, StateId};

/// A claim that these are the states that a system can reach, with their choices.
#[derive(Clone, Copy, Debug)]
pub struct ClaimedExploration<'a> {
    /// The number of words of a packed state, at least 1.
    pub words: usize,
    /// The packed states by number, one after another.
    pub states: &'a [u64],
    /// The choices of the states, and their targets.
    pub graph: &'a MdpGraph,
    /// The number of initial states. These are the first states.
    pub num_initial: usize,
    /// The action of each choice, if actions are claimed.
    pub actions: Option<&'a [u32]>,
    /// Whether a state without a choice has a self-loop in the graph, with action 0.
    pub policy: Deadlocks,
    /// The number of states that have no choice in the system.
    pub deadlocks: u64,
    /// Whether states are numbered as a search with a first-in-first-out queue finds them.
    pub is_fifo: bool,
}

impl<'a> ClaimedExploration<'a> {
    pub(super) fn num_states(&self) -> usize {
        self.graph.num_states()
    }

    /// Returns the packed state with this number.
    pub(super) fn key(&self, state: StateId) -> &'a [u64] {
        &self.states[state.index() * self.words..][..self.words]
    }
}
