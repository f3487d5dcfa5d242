//! [`BuildError`]: why a graph could not be built.

use crate::{OutOfMemory, StateId, counted};

/// The most states, choices and branches that a graph may have: indices have 32 bits, and the
/// greatest number stays free for "none".
pub const MAX_COUNT: u64 = u32::MAX as u64 - 1;

/// Why a graph could not be built.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// There are more states, choices or branches than [`MAX_COUNT`].
    #[error("the model has {count} {what}, but at most {limit} fit the graph")]
    TooMany {
        /// `"states"`, `"choices"` or `"branches"`.
        what: &'static str,
        /// The number of them.
        count: u64,
        /// How many fit.
        limit: u64,
    },
    /// A choice came after one of a later state.
    #[error("a choice of state {state} comes after one of state {previous}")]
    StateOrder {
        /// The state of the choice.
        state: StateId,
        /// The state of the choice before it.
        previous: StateId,
    },
    /// A choice belongs to a state that does not exist.
    #[error("a choice belongs to state {state}, but the graph has {}", counted(*.states as u64, "state", "states"))]
    StateOutOfRange {
        /// The state of the choice.
        state: StateId,
        /// The number of states.
        states: usize,
    },
    /// A choice leads to a state that does not exist.
    #[error("a choice of state {state} leads to state {target}, but the graph has {}", counted(*.states as u64, "state", "states"))]
    TargetOutOfRange {
        /// The state of the choice.
        state: StateId,
        /// Where it leads.
        target: StateId,
        /// The number of states.
        states: usize,
    },
    /// A choice without a target.
    #[error("a choice of state {state} has no target")]
    EmptyChoice {
        /// The state of the choice.
        state: StateId,
    },
    /// There is no memory for the choices, or for the graph.
    #[error(transparent)]
    OutOfMemory(#[from] OutOfMemory),
    /// Deadlocks, under [`Deadlocks::Refuse`](crate::Deadlocks::Refuse).
    #[error(
        "{} {} no choice; the first is state {first}",
        counted(*.count, "state", "states"),
        if *.count == 1 { "has" } else { "have" }
    )]
    Deadlock {
        /// The smallest of them.
        first: StateId,
        /// The number of them.
        count: u64,
    },
    /// An offset array is not ascending from 0 to the length of what it points into.
    #[error(
        "the {what} offsets must begin with 0, must not descend, and must end with the number of {}",
        if *.what == "choice" { "choices" } else { "branches" }
    )]
    Offsets {
        /// `"choice"` or `"branch"`.
        what: &'static str,
    },
}

/// Checks that a graph may have this many.
pub(crate) fn check_count(what: &'static str, count: u64) -> Result<usize, BuildError> {
    let limit = MAX_COUNT;
    match count > limit {
        true => Err(BuildError::TooMany { what, count, limit }),
        false => Ok(count as usize),
    }
}
