//! [`Counts`]: how large a state space is.

use explore::Exploration;

/// How large a state space is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// The states that can be reached.
    pub states: u64,
    /// Their choices: as many as transitions, unless several branches may be one choice.
    pub choices: u64,
    /// Their transitions: the branches of all choices.
    pub transitions: u64,
    /// The states without a transition.
    pub deadlocks: u64,
}

impl Counts {
    /// Of what was found.
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
