//! The options and limits of reading a file, common to all readers.

use std::sync::atomic::{AtomicBool, AtomicU64};

use crate::error::{Checked, ErrorKind};
use model_type::ModelType;

/// The options of reading a file. Change those that differ from the default:
///
/// ```
/// use prism_explicit::{ModelType, ReadOptions};
///
/// let options = ReadOptions { model_type: Some(ModelType::Ctmc), ..ReadOptions::default() };
/// # assert!(options.check_sums);
/// ```
#[derive(Debug, Clone, Copy)]
pub struct ReadOptions<'a> {
    /// The type of the model. If it is `None`, the header and the content of the file determine the
    /// type.
    pub model_type: Option<ModelType>,
    /// Whether the probabilities of each choice of a DTMC or MDP must sum to 1, up to
    /// [`SUM_TOLERANCE`](crate::SUM_TOLERANCE). Default: true.
    pub check_sums: bool,
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
            model_type: None,
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
