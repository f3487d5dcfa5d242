//! [`Error`]: the reason why a network or program was not explored.

use mdp_graph::{StateId, grouped};
use std::convert::Infallible;

/// The reason why a network or program was not explored on a device.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The device failed, or lacks memory.
    #[error(transparent)]
    Gpu(#[from] gpu::Error),
    /// The exploration ended early, as it would on the CPU: a limit was reached, the observer
    /// cancelled it, or there are deadlocks and these are an error.
    #[error(transparent)]
    Ended(#[from] explore::Error<Infallible>),
    /// A state has more successors than a batch may have.
    #[error(
        "a state has at least {} successors: a GPU takes up to {}",
        grouped(*.count), grouped(*.limit)
    )]
    TooManySuccessors {
        /// A lower bound on the number of successors.
        count: u64,
        /// The limit.
        limit: u64,
    },
    /// The loops of an invocation may take more iterations for a state than the adapter allows.
    #[error(
        "the loops of a kernel may take {} iterations for a state: this adapter allows {}",
        grouped(*.needed), grouped(*.limit)
    )]
    TooManyIterations {
        /// An upper bound on the number of iterations.
        needed: u64,
        /// The limit.
        limit: u64,
    },
    /// A state has successors that may be equal, and too many of them to compare in time.
    #[error(
        "a state has {} successors, some of which may be equal: a GPU compares up to {}",
        grouped(*.count), grouped(*.limit)
    )]
    TooManyToCompare {
        /// The number of its successors.
        count: u64,
        /// The limit.
        limit: u64,
    },
    /// The successors of a state cannot be computed, or cannot be computed in 32 bits. If the CPU
    /// can compute them, it has to explore the program; otherwise it reports the error. This is the
    /// first such state.
    #[error("the successors of state {state} cannot be computed by a GPU")]
    Broken {
        /// The state.
        state: StateId,
        /// The packed state.
        packed: Vec<u64>,
    },
    /// The paper's search does not support the network.
    #[error(
        "the paper's search takes networks of up to {most_processes} processes, whose states fit \
         {} words of {} bits: this one has {}",
        lts_network::MAX_WORDS, gpu::kernels::gpuexplore::STATE_BITS,
        has(*.processes, *.words)
    )]
    Paper {
        /// The number of processes of the network.
        processes: u32,
        /// The largest number of processes.
        most_processes: u32,
        /// The number of words of a state; `None` if the states of one process do not fit a word.
        words: Option<usize>,
    },
    /// The paper's search missed some states. This is a bug.
    #[error("the device lost states: it found {found}, which have successors that it did not find")]
    Lost {
        /// The number of states that it found.
        found: u64,
    },
    /// The tables are larger than 2^32 words, or the adapter would need too many iterations for
    /// them.
    #[error("the tables of the model are too large for this adapter")]
    Tables,
}

/// Describes the property of a network that the paper's search does not support.
fn has(processes: u32, words: Option<usize>) -> String {
    match words {
        Some(1) => format!("{processes} processes, and its states have 1 word"),
        Some(words) => format!("{processes} processes, and its states have {words} words"),
        None => format!("{processes} processes, the states of one of which have more bits"),
    }
}
