//! The options and limits of reading a file.

use crate::error::{Checked, ErrorKind};
use std::sync::atomic::{AtomicBool, AtomicU64};

/// The options of reading an Aldebaran file. Change those that differ from the default:
///
/// ```
/// use lts_formats::ReadOptions;
///
/// let options = ReadOptions { max_states: 1000, ..ReadOptions::default() };
/// # assert!(options.chunk_bytes > 0);
/// ```
#[derive(Debug, Clone, Copy)]
pub struct ReadOptions<'a> {
    /// The approximate number of bytes that one task parses, at least 1. Results and errors do not
    /// depend on it. Default: 4 MiB.
    pub chunk_bytes: usize,
    /// A model with more states is refused, before memory is taken for it. Default: `u32::MAX`. A
    /// file is also refused when it claims over [`STATE_SLACK`](crate::STATE_SLACK) states more
    /// than it has bytes.
    pub max_states: u32,
    /// Checked while reading. Once it is true, reading ends soon with [`ErrorKind::Interrupted`].
    pub interrupt: Option<&'a AtomicBool>,
    /// Increased by the number of bytes read, for a progress bar.
    pub progress: Option<&'a AtomicU64>,
}

impl Default for ReadOptions<'_> {
    fn default() -> Self {
        Self {
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
