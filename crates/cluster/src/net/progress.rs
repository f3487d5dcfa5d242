//! [`Progress`]: the progress of all workers.

/// The progress of all workers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// States are being found.
    Exploring {
        /// The number of states found.
        states: u64,
        /// The number of states that were expanded.
        expanded: u64,
        /// The bytes that workers have sent to each other.
        bytes_sent: u64,
        /// The size in bytes of the states and choices of the worker that holds most.
        largest_worker: u64,
    },
    /// Components are being found.
    Decomposing {
        /// The number of states, or of parts of SCCs, that are undecided.
        undecided: u64,
        /// The bytes that workers have sent to each other.
        bytes_sent: u64,
    },
}
