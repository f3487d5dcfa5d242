//! [`Counts`]: the size of a state space.

use explore::Exploration;

/// The size of a state space.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// The number of reachable states.
    pub states: u64,
    /// The number of their choices: as many as transitions, unless a choice may have several
    /// branches.
    pub choices: u64,
    /// The number of their transitions, that is, of the branches of all choices.
    pub transitions: u64,
    /// The number of states without a transition.
    pub deadlocks: u64,
}

impl Counts {
    /// Returns the counts of an exploration.
    #[must_use]
    pub fn of(found: &Exploration) -> Self {
        Self {
            states: found.graph.num_states() as u64,
            choices: found.graph.num_choices() as u64,
            transitions: found.graph.num_branches() as u64,
            deadlocks: found.deadlocks,
        }
    }
}
