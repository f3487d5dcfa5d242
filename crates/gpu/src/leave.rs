//! Leaving a process in which a driver is still at work.

/// Ends the process at once with this exit code, without what libraries have registered for its end: a thread that
/// was left behind in a driver, which compiles a kernel say, would not survive that. Nothing is flushed.
pub fn leave(code: u8) -> ! {
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
