//! Why there is no graph.

use crate::Progress;
use mdp_graph::BuildError;
use std::fmt;

/// Why an exploration ended before its time; `E` is the system's own error.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error<E> {
    /// The system could not compute the successors of a state, or its initial states.
    #[error(transparent)]
    System(E),
    /// The observer asked to stop.
    #[error("the exploration was cancelled; {}", far(.reached))]
    Cancelled {
        /// How far it had come.
        reached: Progress,
    },
    /// There are more states than [`Limits::states`](crate::Limits::states).
    #[error("there are more than {limit} states; {}", far(.reached))]
    TooManyStates {
        /// The limit.
        limit: u64,
        /// How far the exploration had come.
        reached: Progress,
    },
    /// More memory is needed than [`Limits::memory`](crate::Limits::memory).
    #[error("more than {} of memory are needed; {}", Size(*.limit), far(.reached))]
    OutOfMemory {
        /// The limit, in bytes.
        limit: u64,
        /// How far the exploration had come.
        reached: Progress,
    },
    /// The graph cannot be built: there are too many states, choices or branches for it, a choice
    /// without a branch of probability above 0, or deadlocks that are refused.
    #[error(transparent)]
    Graph(#[from] BuildError),
}

/// How far an exploration came, in words.
fn far(reached: &Progress) -> String {
    format!(
        "{} of the {} states found so far were expanded, with {} choices and {} branches, in {}",
        reached.expanded,
        reached.states,
        reached.choices,
        reached.branches,
        Size(reached.bytes),
    )
}

/// An amount of memory, in the largest unit of which it has ten.
struct Size(u64);

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let units = [("GiB", 30), ("MiB", 20), ("KiB", 10)];
        match units.into_iter().find(|&(_, shift)| self.0 >> shift >= 10) {
            Some((unit, shift)) => write!(f, "{} {unit}", self.0 >> shift),
            None => write!(f, "{} bytes", self.0),
        }
    }
}
