//! The environment variables that drivers read.

/// Prevents a warning of Mesa's drivers on standard error: that `XDG_RUNTIME_DIR` is not set, as on
/// servers and in containers. They look there for a display, which is not needed here. This
/// function sets the variable to a folder that does not exist, so that they find no display.
///
/// Call it at the beginning of `main`. It does nothing if the process has a second thread.
pub fn quiet_drivers() {
    #[cfg(target_os = "linux")]
    if std::env::var_os("XDG_RUNTIME_DIR").is_none() && is_only_thread() {
        set("XDG_RUNTIME_DIR", "/nonexistent");
    }
}

/// Sets a variable, in a process with a single thread.
#[cfg(target_os = "linux")]
#[allow(unsafe_code)]
fn set(name: &str, value: &str) {
    // SAFETY: this is the only thread, so no other thread reads or writes the environment
    // meanwhile.
    unsafe { std::env::set_var(name, value) }
}

/// Returns whether this is the only thread of the process. If so, no other thread can start one.
#[cfg(target_os = "linux")]
fn is_only_thread() -> bool {
    std::fs::read_dir("/proc/self/task").is_ok_and(|tasks| tasks.count() == 1)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::is_only_thread;

    #[test]
    fn a_test_is_never_the_only_thread() {
        std::thread::spawn(|| assert!(!is_only_thread()))
            .join()
            .expect("the thread has seen another one");
    }
}
