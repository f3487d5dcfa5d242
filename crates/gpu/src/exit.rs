//! Ends a process in which a driver may still be working.

/// Ends the process at once with this exit code. Nothing is flushed, and the exit handlers of
/// libraries do not run. A thread that is still in a driver, for example to compile a kernel, would
/// crash in them.
pub fn exit(code: u8) -> ! {
    end(code.into())
}

#[cfg(unix)]
#[allow(unsafe_code)]
fn end(code: i32) -> ! {
    // SAFETY: the function takes a number, and does not return.
    unsafe { libc::_exit(code) }
}

#[cfg(not(unix))]
fn end(code: i32) -> ! {
    std::process::exit(code)
}
