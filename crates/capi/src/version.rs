//! The version of the library.

use std::ffi::c_char;

/// The version of the library, such as `0.1.0`. Before version 1.0, a library of another minor
/// version may have another interface.
///
/// # Safety
/// There is nothing to keep in mind.
#[unsafe(no_mangle)]
pub extern "C" fn maxend_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}
