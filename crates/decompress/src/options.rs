//! The limits for decompressing archives.

use std::sync::atomic::AtomicBool;

/// Limits for [`inflate`](crate::inflate).
#[derive(Debug, Clone, Copy)]
pub struct Options<'a> {
    /// The largest size of the contents, and of the memory that is needed for decompression, in
    /// bytes. A larger archive is refused before memory is allocated for it. Default: 64 GiB.
    pub max_bytes: u64,
    /// Checked while decompressing. Once it is true, this ends soon with
    /// [`Error::Interrupted`](crate::Error::Interrupted).
    pub interrupt: Option<&'a AtomicBool>,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Self {
            max_bytes: 64 << 30,
            interrupt: None,
        }
    }
}
