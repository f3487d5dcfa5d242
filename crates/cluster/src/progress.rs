//! [`Progress`]: the progress of all workers.

/// How far all workers are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// States are being found.
    Exploring {
        /// How many were found.
        states: u64,
        /// How many of them were expanded.
        expanded: u64,
        /// The bytes that workers have sent to each other.
        bytes_sent: u64,
        /// The bytes of the states and choices of the worker that holds most.
        largest_worker: u64,
    },
    /// Components are being found.
    Decomposing {
        /// How many states, or parts of SCCs, are undecided.
        undecided: u64,
        /// The bytes that workers have sent to each other.
        bytes_sent: u64,
    },
}
