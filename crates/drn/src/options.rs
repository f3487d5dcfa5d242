//! The options and limits of reading a file.

use crate::error::{Checked, ErrorKind};
use std::sync::atomic::{AtomicBool, AtomicU64};

/// The options of reading a file. Change those that differ from the default:
///
/// ```
/// use drn::ReadOptions;
///
/// let options = ReadOptions { max_states: 1000, ..ReadOptions::default() };
/// # assert!(options.chunk_bytes > 0);
/// ```
#[derive(Debug, Clone, Copy)]
pub struct ReadOptions<'a> {
    /// Whether the probabilities of each choice must sum to 1, and the rates of each state of a
    /// CTMC to its exit rate, up to [`SUM_TOLERANCE`](crate::SUM_TOLERANCE). Default: true.
    pub check_sums: bool,
    /// The approximate number of bytes that one task parses, at least 1. Results and errors do not
    /// depend on it. Default: 4 MiB.
    pub chunk_bytes: usize,
    /// The largest number of states. A larger model is refused before memory is allocated for it.
    /// Default: `u32::MAX`.
    pub max_states: u32,
    /// Checked while reading. Once it is true, reading ends soon with [`ErrorKind::Interrupted`].
    pub interrupt: Option<&'a AtomicBool>,
    /// Increased by the number of bytes read, for a progress bar.
    pub progress: Option<&'a AtomicU64>,
}

impl Default for ReadOptions<'_> {
    fn default() -> Self {
        Self {
            check_sums: true,
            chunk_bytes: 4 << 20,
            max_states: u32::MAX,
            interrupt: None,
            progress: None,
        }
    }
}

impl ReadOptions<'_> {
    /// Updates the progress and checks the interrupt. Called every few thousand lines.
    pub(crate) fn advance(&self, bytes: usize) -> Checked<()> {
        let interrupted = ErrorKind::Interrupted;
        parse_error::advance(bytes, self.progress, self.interrupt, interrupted)
    }
}
