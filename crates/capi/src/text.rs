//! Texts for C.

use std::ffi::CString;

/// Converts a text for C. It ends before the first character 0.
pub(crate) fn to_c(text: &str) -> CString {
    let text = text.split('\0').next().unwrap_or_default();
    CString::new(text).unwrap_or_default()
}
