//! The limits under which archives are inflated.

use std::sync::atomic::AtomicBool;

/// Limits for [`inflate`](crate::inflate).
#[derive(Debug, Clone, Copy)]
pub struct Options<'a> {
    /// An archive that holds more, or needs more memory to be inflated, is refused before memory is
    /// taken for it. Default: 64 GiB.
    pub max_bytes: u64,
    /// Polled while inflating; once true, it ends soon with
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
