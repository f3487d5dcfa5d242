//! What a caller can ask of an exploration, and how it can watch and stop one.

use crate::Goal;
use mdp_graph::Deadlocks;
use std::time::Duration;

/// How far an exploration has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// The states found.
    pub states: u64,
    /// Those of them whose choices are known.
    pub expanded: u64,
    /// The choices found.
    pub choices: u64,
    /// The branches found.
    pub branches: u64,
    /// The memory held, in bytes.
    pub bytes: u64,
}

/// Watches an exploration, from any thread.
pub trait Observer: Sync {
    /// How far the exploration has come, `elapsed` after it began. Called a few times a second at
    /// most.
    fn progress(&self, progress: Progress, elapsed: Duration) {
        let _ = (progress, elapsed);
    }

    /// Whether to stop. Asked often: make it cheap.
    fn is_cancelled(&self) -> bool {
        false
    }
}

/// The observer that neither watches nor stops.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {}

/// How much may be found before the exploration gives up.
///
/// Whatever the limits are, a graph has at most `u32::MAX - 1` states, choices and branches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// The largest number of states.
    pub states: Option<u64>,
    /// The largest amount of memory, in bytes, for the graph, the states and what is needed to find
    /// them. It is counted from the sizes of these, before they grow.
    pub memory: Option<u64>,
}

/// How to explore.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    /// What becomes of states without a choice.
    pub deadlocks: Deadlocks,
    /// Whether to keep the action of each choice.
    pub actions: bool,
    /// Whether to keep the probability of each branch.
    pub probabilities: bool,
    /// When to give up.
    pub limits: Limits,
    /// What is looked for, if the exploration is to end when that was found.
    pub goal: Option<&'a dyn Goal>,
    /// Who watches.
    pub observer: &'a dyn Observer,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Self {
            deadlocks: Deadlocks::default(),
            actions: false,
            probabilities: false,
            limits: Limits::default(),
            goal: None,
            observer: &Silent,
        }
    }
}
