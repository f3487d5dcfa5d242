//! The claims about an exploration.

use mdp_graph::{Deadlocks, MdpGraph, StateId};

/// States that are said to be those that a system can reach, with their choices.
#[derive(Clone, Copy, Debug)]
pub struct ClaimedExploration<'a> {
    /// The words of a packed state, at least 1.
    pub words: usize,
    /// The packed states by number, one after another.
    pub states: &'a [u64],
    /// Their choices, and where these lead.
    pub graph: &'a MdpGraph,
    /// The first so many states are the initial ones.
    pub num_initial: usize,
    /// The action of each choice, if they are claimed.
    pub actions: Option<&'a [u32]>,
    /// Whether states without a choice have got one that leads to themselves, without an action
    /// (0).
    pub policy: Deadlocks,
    /// The number of states that have no choice of their own.
    pub deadlocks: u64,
    /// Whether states are numbered as a search with a first-in-first-out queue finds them.
    pub is_fifo: bool,
}

impl<'a> ClaimedExploration<'a> {
    pub(super) fn num_states(&self) -> usize {
        self.graph.num_states()
    }

    /// The packed state with this number.
    pub(super) fn key(&self, state: StateId) -> &'a [u64] {
        &self.states[state.index() * self.words..][..self.words]
    }
}
