//! Ends a process in which a driver is still working.

/// Ends the process at once with this exit code. Nothing is flushed, and no library's exit handlers
/// run: a thread that is still in a driver, compiling a kernel for example, would crash in them.
pub fn exit(code: u8) -> ! {
    end(code.into())
}

#[cfg(unix)]
#[allow(unsafe_code)]
fn end(code: i32) -> ! {
    // SAFETY: it takes a number, and returns to nobody.
    unsafe { libc::_exit(code) }
}

#[cfg(not(unix))]
fn end(code: i32) -> ! {
    std::process::exit(code)
}
