//! Converts texts of callers.

use crate::error::Fault;
use std::ffi::{CStr, c_char};
use std::path::PathBuf;

/// Returns a text that a caller passes, or `None` for a null pointer.
///
/// # Safety
/// The pointer is null, or a text that ends with a character 0 and lives for `'a`.
pub(crate) unsafe fn from_c<'a>(what: &str, text: *const c_char) -> Result<Option<&'a str>, Fault> {
    if text.is_null() {
        return Ok(None);
    }
    // SAFETY: as the caller says.
    let text = unsafe { CStr::from_ptr(text) };
    let utf8 = text.to_str().map(Some);
    utf8.map_err(|_| Fault::argument(format!("{what} is not UTF-8")))
}

/// Returns the path that a caller passes.
///
/// # Safety
/// As for [`from_c`].
pub(crate) unsafe fn path(text: *const c_char) -> Result<PathBuf, Fault> {
    if text.is_null() {
        return Err(Fault::argument("no file is named: file is NULL"));
    }
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt as _;
        // SAFETY: as the caller says.
        let text = unsafe { CStr::from_ptr(text) };
        Ok(std::ffi::OsStr::from_bytes(text.to_bytes()).into())
    }
    #[cfg(not(unix))]
    {
        // SAFETY: as the caller says.
        let text = unsafe { from_c("file", text) }?;
        Ok(text.unwrap_or_default().into())
    }
}
