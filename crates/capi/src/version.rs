//! The version of the library.

use std::ffi::c_char;

/// Returns the version of the library, such as `0.1.0`. Before version 1.0, a library with another
/// minor version may have another interface.
///
/// # Safety
/// This function is always safe to call.
#[unsafe(no_mangle)]
pub extern "C" fn maxend_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}
