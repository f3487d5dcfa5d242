//! Why a network or program was not explored.

use mdp_graph::{StateId, grouped};
use std::convert::Infallible;

/// Why a network or program was not explored on a device.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The device failed, or has no room.
    #[error(transparent)]
    Gpu(#[from] gpu::Error),
    /// The exploration ended before its time, as it would on the CPU: a limit was met, the observer
    /// asked to stop, or there are deadlocks that are refused.
    #[error(transparent)]
    Ended(#[from] explore::Error<Infallible>),
    /// A state has more successors than a batch may have.
    #[error(
        "a state has at least {} successors: a GPU takes up to {}",
        grouped(*.count), grouped(*.limit)
    )]
    TooManySuccessors {
        /// How many it has at least.
        count: u64,
        /// How many it may have.
        limit: u64,
    },
    /// A state has so many successors, some of which may be equal, that it takes too long to
    /// compare them.
    #[error(
        "a state has {} successors, some of which may be equal: a GPU compares up to {}",
        grouped(*.count), grouped(*.limit)
    )]
    TooManyToCompare {
        /// How many it has.
        count: u64,
        /// How many it may have.
        limit: u64,
    },
    /// The successors of a state cannot be computed, or not in 32 bits. If the CPU can, it has to
    /// explore the program; otherwise it says what is wrong. No state with a smaller number is
    /// like this.
    #[error("the successors of state {state} cannot be computed by a GPU")]
    Broken {
        /// The state.
        state: StateId,
        /// The same, packed.
        packed: Vec<u64>,
    },
    /// The tables are larger than 2^32 words, or than a software adapter goes through in time.
    #[error("the tables of the model are too large for this adapter")]
    Tables,
}
