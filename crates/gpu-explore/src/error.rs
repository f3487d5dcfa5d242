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
    /// The paper's search cannot take a network.
    #[error(
        "the paper's search takes networks of up to {most_processes} processes, whose states fit \
         {} words of {} bits: this one has {}",
        lts_network::MAX_WORDS, gpu::kernels::gpuexplore::STATE_BITS,
        has(*.processes, *.words)
    )]
    Paper {
        /// How many processes the network has.
        processes: u32,
        /// How many processes it may have.
        most_processes: u32,
        /// How many words a state has; `None` if those of one process do not fit a word.
        words: Option<usize>,
    },
    /// The paper's search did not find all states, which it should.
    #[error("the device lost states: it found {found}, which have successors that it did not find")]
    Lost {
        /// How many it found.
        found: u64,
    },
    /// The tables are larger than 2^32 words, or than a software adapter goes through in time.
    #[error("the tables of the model are too large for this adapter")]
    Tables,
}

/// What a network has that the paper's search cannot take.
fn has(processes: u32, words: Option<usize>) -> String {
    match words {
        Some(1) => format!("{processes} processes, and its states have 1 word"),
        Some(words) => format!("{processes} processes, and its states have {words} words"),
        None => format!("{processes} processes, the states of one of which have more bits"),
    }
}
