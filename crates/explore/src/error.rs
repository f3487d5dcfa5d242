//! Why there is no graph.

use crate::Progress;
use mdp_graph::BuildError;

/// Why an exploration ended before its time; `E` is the system's own error.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error<E> {
    /// The system could not compute the successors of a state, or its initial states.
    #[error(transparent)]
    System(E),
    /// The observer asked to stop.
    #[error("the exploration was cancelled after {}", far(.reached))]
    Cancelled {
        /// How far it had come.
        reached: Progress,
    },
    /// There are more states than [`Limits::states`](crate::Limits::states).
    #[error("there are more than {limit} states; the limit was reached after {}", far(.reached))]
    TooManyStates {
        /// The limit.
        limit: u64,
        /// How far the exploration had come.
        reached: Progress,
    },
    /// More memory is needed than [`Limits::memory`](crate::Limits::memory).
    #[error(
        "more than {limit} bytes of memory are needed; the limit was reached after {}",
        far(.reached)
    )]
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
        "{} of {} states found so far had been expanded ({} choices, {} branches, {} MiB)",
        reached.expanded,
        reached.states,
        reached.choices,
        reached.branches,
        reached.bytes >> 20,
    )
}
