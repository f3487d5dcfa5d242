//! The options of an exploration, and its observer.

use crate::Goal;
use mdp_graph::Deadlocks;
use std::time::Duration;

/// The progress of an exploration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// The number of states found.
    pub states: u64,
    /// The number of states whose choices are known.
    pub expanded: u64,
    /// The number of choices found.
    pub choices: u64,
    /// The number of branches found.
    pub branches: u64,
    /// The memory held, in bytes.
    pub bytes: u64,
}

/// Watches an exploration, from any thread.
pub trait Observer: Sync {
    /// Receives the progress of the exploration, `elapsed` after its start. Called at most a few
    /// times per second.
    fn progress(&self, progress: Progress, elapsed: Duration) {
        let _ = (progress, elapsed);
    }

    /// Returns whether to cancel the exploration. This method is called often, so it should be
    /// fast.
    fn is_cancelled(&self) -> bool {
        false
    }
}

/// An observer that ignores progress and never cancels.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {}

/// The limits of an exploration.
///
/// Whatever the limits are, a graph has at most [`mdp_graph::MAX_COUNT`] states, choices and
/// branches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// The largest number of states.
    pub states: Option<u64>,
    /// The largest amount of memory, in bytes, for the graph, the states and the data structures of
    /// the search. It is computed from their sizes before they grow.
    pub memory: Option<u64>,
}

/// The options of an exploration.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    /// The treatment of states without a choice.
    pub deadlocks: Deadlocks,
    /// Whether to keep the action of each choice.
    pub actions: bool,
    /// Whether to keep the probability of each branch.
    pub probabilities: bool,
    /// The limits.
    pub limits: Limits,
    /// The goal that ends the exploration early, if there is one.
    pub goal: Option<&'a dyn Goal>,
    /// The observer.
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

/// The data of choices that are kept besides their targets.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Details {
    /// Whether the action of each choice is kept.
    pub(crate) actions: bool,
    /// Whether the probability of each branch is kept.
    pub(crate) probabilities: bool,
}

impl Details {
    pub(crate) const NONE: Self = Self {
        actions: false,
        probabilities: false,
    };

    pub(crate) const ALL: Self = Self {
        actions: true,
        probabilities: true,
    };

    /// Returns the data that an exploration with these options keeps.
    pub(crate) fn of(options: &Options<'_>) -> Self {
        Self {
            actions: options.actions,
            probabilities: options.probabilities,
        }
    }
}
