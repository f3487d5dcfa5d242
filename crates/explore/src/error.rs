//! [`Error`]: the reason why an exploration ended early.

use crate::Progress;
use mdp_graph::{BuildError, OutOfMemory, StateId, counted, grouped};
use std::fmt;

/// The reason why an exploration ended early. `E` is the error type of the system.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error<E> {
    /// The system could not compute the successors of a state, or its initial states.
    #[error(transparent)]
    System(E),
    /// The observer cancelled the exploration.
    #[error("the exploration was cancelled; {}", far(.reached))]
    Cancelled {
        /// The progress at that time.
        reached: Progress,
    },
    /// There are more states than [`Limits::states`](crate::Limits::states).
    #[error("{}", too_many(*.limit, .reached))]
    TooManyStates {
        /// The limit.
        limit: u64,
        /// The progress at that time.
        reached: Progress,
    },
    /// More memory is needed than [`Limits::memory`](crate::Limits::memory).
    #[error("more than {} of memory are needed; {}", Size(*.limit), far(.reached))]
    MemoryLimit {
        /// The limit, in bytes.
        limit: u64,
        /// The progress at that time.
        reached: Progress,
    },
    /// A limit was reached while a single state with many choices was expanded.
    #[error("{error}")]
    InState {
        /// The state, packed.
        state: Box<[u64]>,
        /// The action of the current choice.
        action: u32,
        /// The limit, as an error.
        error: Box<Self>,
    },
    /// The operating system does not provide the memory that is needed.
    #[error("{missing}; {}", far(.reached))]
    OutOfMemory {
        /// The memory that was requested.
        missing: OutOfMemory,
        /// The progress at that time.
        reached: Progress,
    },
    /// There are states without a choice, which the options do not allow.
    #[error("{}", BuildError::Deadlock { first: *.first, count: *.count })]
    Deadlock {
        /// The first of them.
        first: StateId,
        /// The number of such states.
        count: u64,
        /// The first of them, packed.
        state: Vec<u64>,
    },
    /// The graph cannot be built: there are too many states, choices or branches for it, or a
    /// choice has no branch with a probability above 0.
    #[error(transparent)]
    Graph(#[from] BuildError),
}

impl<E> Error<E> {
    /// Converts the error of the system.
    pub fn map_system<F>(self, map: &dyn Fn(E) -> F) -> Error<F> {
        match self {
            Self::System(error) => Error::System(map(error)),
            Self::Cancelled { reached } => Error::Cancelled { reached },
            Self::TooManyStates { limit, reached } => Error::TooManyStates { limit, reached },
            Self::MemoryLimit { limit, reached } => Error::MemoryLimit { limit, reached },
            Self::InState {
                state,
                action,
                error,
            } => Error::InState {
                state,
                action,
                error: Box::new(error.map_system(map)),
            },
            Self::OutOfMemory { missing, reached } => Error::OutOfMemory { missing, reached },
            Self::Deadlock {
                first,
                count,
                state,
            } => Error::Deadlock {
                first,
                count,
                state,
            },
            Self::Graph(error) => Error::Graph(error),
        }
    }
}

/// Says that there are more states than `limit`. No state is counted before all initial states have
/// been found.
fn too_many(limit: u64, reached: &Progress) -> String {
    match reached.states {
        0 => {
            let states = counted(limit, "initial state", "initial states");
            format!("there are more than {states}")
        }
        _ => {
            let states = counted(limit, "state", "states");
            format!("there are more than {states}; {}", far(reached))
        }
    }
}

/// Returns the progress of an exploration, in words. Some searches count only states, so the other
/// numbers are left out if nothing was counted.
fn far(reached: &Progress) -> String {
    if reached.states == 0 {
        return "no state was found yet".to_owned();
    }
    let expanded = match reached.expanded {
        0 => "none was expanded".to_owned(),
        1 => "1 was expanded".to_owned(),
        count => format!("{} were expanded", grouped(count)),
    };
    let mut text = format!(
        "found so far: {}",
        counted(reached.states, "state", "states")
    );
    if reached.expanded > 0 || reached.choices > 0 || reached.branches > 0 {
        text += &format!(
            ", of which {expanded}, {} and {}",
            counted(reached.choices, "choice", "choices"),
            counted(reached.branches, "branch", "branches"),
        );
    }
    if reached.bytes > 0 {
        text += &format!(", in {}", Size(reached.bytes));
    }
    text
}

/// An amount of memory, in the largest unit of which there are at least ten.
struct Size(u64);

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let units = [("GiB", 30), ("MiB", 20), ("KiB", 10)];
        match units.into_iter().find(|&(_, shift)| self.0 >> shift >= 10) {
            Some((unit, shift)) => write!(f, "{} {unit}", grouped(self.0 >> shift)),
            None => f.write_str(&counted(self.0, "byte", "bytes")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Size, far};
    use crate::Progress;

    #[test]
    fn nouns_are_in_the_right_number() {
        let sizes =
            [0, 1, 9_999, 10 << 10, 9_999 << 20, 1 << 60].map(|size| Size(size).to_string());
        insta::assert_snapshot!(sizes.join(", "), @"0 bytes, 1 byte, 9,999 bytes, 10 KiB, 9,999 MiB, 1,073,741,824 GiB");
        let progress = |states, expanded, choices, branches| {
            far(&Progress {
                states,
                expanded,
                choices,
                branches,
                bytes: 1 << 20,
            })
        };
        let all = [
            progress(0, 0, 0, 0),
            progress(1, 0, 0, 0),
            progress(1, 0, 1, 2),
            progress(2, 1, 1, 1),
            progress(12_345_678, 2_000, 3_000, 4_000_000),
            far(&Progress {
                states: 3,
                ..Progress::default()
            }),
        ];
        insta::assert_snapshot!(all.join("\n"), @"
        no state was found yet
        found so far: 1 state, in 1,024 KiB
        found so far: 1 state, of which none was expanded, 1 choice and 2 branches, in 1,024 KiB
        found so far: 2 states, of which 1 was expanded, 1 choice and 1 branch, in 1,024 KiB
        found so far: 12,345,678 states, of which 2,000 were expanded, 3,000 choices and 4,000,000 branches, in 1,024 KiB
        found so far: 3 states
        ");
    }
}
