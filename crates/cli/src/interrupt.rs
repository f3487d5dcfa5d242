//! Ctrl-C: a flag that everything slow polls, so that no file is left half written.

use crate::progress::line;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, Once, PoisonError};
use std::time::Duration;

/// Set once the user asked to stop.
static CANCELLED: AtomicBool = AtomicBool::new(false);
/// Set while the program waits for input and cannot poll; it then holds nothing to be tidied up.
static BLOCKED: AtomicBool = AtomicBool::new(false);

/// Set while a driver may be at work that cannot be interrupted, and nothing is written.
static DEAF: AtomicBool = AtomicBool::new(false);
/// Set once a thread was left behind in a driver.
static LEFT_BEHIND: AtomicBool = AtomicBool::new(false);

/// How long a driver may take to come to a point where the program ends by itself.
const GRACE: Duration = Duration::from_millis(800);

/// The file that is being written, if there is one.
static UNFINISHED: Mutex<Option<PathBuf>> = Mutex::new(None);

/// The exit code after Ctrl-C: that of a shell for a process that SIGINT ended.
pub(crate) const EXIT_CODE: u8 = 130;

/// Has Ctrl-C set the flag. A second one, or one while the program is blocked, ends it at once.
pub(crate) fn install() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        let handler = || {
            let again = CANCELLED.swap(true, Ordering::SeqCst);
            // What is said of progress is stale from now on, also while the program winds up.
            line::close();
            if again || BLOCKED.load(Ordering::SeqCst) {
                exit();
            }
            if DEAF.load(Ordering::SeqCst) {
                std::thread::sleep(GRACE);
                if DEAF.load(Ordering::SeqCst) {
                    exit();
                }
            }
        };
        if let Err(error) = ctrlc::set_handler(handler) {
            tracing::debug!("Ctrl-C ends the program at once: {error}");
        }
    });
}

/// Ends the program, and removes what it has not finished writing.
fn exit() -> ! {
    let mut unfinished = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(path) = unfinished.take() {
        // It is not there any more if it was finished a moment ago.
        let _ = std::fs::remove_file(path);
    }
    // Drivers' threads may be at work.
    gpu::leave(EXIT_CODE);
}

/// Does what leaves a file behind if the program ends on the way.
pub(crate) fn while_writing<T>(file: PathBuf, write: impl FnOnce() -> T) -> T {
    let note = |path| *UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner) = path;
    note(Some(file));
    let result = write();
    note(None);
    result
}

/// Does what may be in a driver for seconds that cannot be interrupted, as where it compiles kernels: after Ctrl-C the
/// program ends nevertheless, within a second. It is to end by itself before, if it can.
pub(crate) fn while_deaf<T>(work: impl FnOnce() -> T) -> T {
    DEAF.store(true, Ordering::SeqCst);
    let result = work();
    DEAF.store(false, Ordering::SeqCst);
    if is_cancelled() {
        leave_behind();
    }
    result
}

/// A thread is left behind in a driver.
pub(crate) fn leave_behind() {
    LEFT_BEHIND.store(true, Ordering::SeqCst);
}

/// Whether the program has to end without minding what drivers do.
pub(crate) fn has_left_behind() -> bool {
    LEFT_BEHIND.load(Ordering::SeqCst)
}

/// The flag.
pub(crate) fn flag() -> &'static AtomicBool {
    &CANCELLED
}

/// Whether the user asked to stop.
pub(crate) fn is_cancelled() -> bool {
    CANCELLED.load(Ordering::Relaxed)
}

/// Does what may wait for others, such as reading from a pipe.
pub(crate) fn while_blocked<T>(wait: impl FnOnce() -> T) -> T {
    BLOCKED.store(true, Ordering::SeqCst);
    // Either the handler sees that this waits, or this sees that the handler ran before.
    if CANCELLED.load(Ordering::SeqCst) {
        exit();
    }
    let result = wait();
    BLOCKED.store(false, Ordering::SeqCst);
    result
}
