//! Texts for C.

use std::ffi::CString;

/// A text for C. It ends where a character 0 would be.
pub(crate) fn to_c(text: &str) -> CString {
    let text = text.split('\0').next().unwrap_or_default();
    CString::new(text).unwrap_or_default()
}
