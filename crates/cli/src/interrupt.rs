//! Ctrl-C: it sets a flag, which all slow code polls, so that no file is left half written. A
//! program that uses this crate as a library handles Ctrl-C, and sets the flag, by itself.

use crate::progress::line;
use crate::signals;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};
use std::time::Duration;

/// Set once the user asked to stop.
static CANCELLED: AtomicBool = AtomicBool::new(false);
/// The number of threads that wait for another program, which sends input or takes output, and
/// cannot poll.
static BLOCKED: AtomicUsize = AtomicUsize::new(0);

/// The number of threads that may be in a GPU driver, which cannot be interrupted. No file is being
/// written then.
static IN_DRIVER: AtomicUsize = AtomicUsize::new(0);
/// Set once the program no longer waits for a thread that is in a GPU driver.
static LEFT_BEHIND: AtomicBool = AtomicBool::new(false);

/// The time in which a driver may return after Ctrl-C. After that, the program ends nevertheless.
const GRACE: Duration = Duration::from_millis(800);

/// The files that are being written.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Set once Ctrl-C is handled here.
static INSTALLED: Once = Once::new();

/// A lock, which a thread holds while it works for another program. The flag can stop only one such
/// work.
static TURN: Mutex<()> = Mutex::new(());
/// The number of that work, if there is any.
static PROGRAM: Mutex<Option<u64>> = Mutex::new(None);

/// The exit code after Ctrl-C, which is the exit code of a shell for a process that was ended by
/// SIGINT.
pub(crate) const EXIT_CODE: u8 = 130;

/// Makes Ctrl-C set the flag. A second Ctrl-C, or one while the program is blocked, ends the
/// program at once.
pub(crate) fn install() {
    INSTALLED.call_once(|| {
        let handler = || {
            let again = CANCELLED.swap(true, Ordering::SeqCst);
            // The line of progress is out of date from now on.
            line::close();
            if again || BLOCKED.load(Ordering::SeqCst) > 0 {
                exit();
            }
            if IN_DRIVER.load(Ordering::SeqCst) > 0 {
                std::thread::sleep(GRACE);
                if IN_DRIVER.load(Ordering::SeqCst) > 0 {
                    exit();
                }
            }
        };
        if let Err(error) = signals::on_end(handler) {
            tracing::debug!("Ctrl-C ends the program at once: {error}");
        }
        if let Err(error) = signals::survive_large_files() {
            tracing::debug!("files that are too large end the program: {error}");
        }
    });
}

/// Removes the files that are being written.
pub(crate) fn remove_unfinished() {
    for path in std::mem::take(&mut *unfinished()) {
        // If the file was finished a moment ago, it has another name now.
        let _ = std::fs::remove_file(path);
    }
}

fn unfinished() -> MutexGuard<'static, Vec<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ends the program, and removes the files that it has not finished writing.
fn exit() -> ! {
    remove_unfinished();
    // A normal exit could crash while threads of a driver are running.
    gpu::exit(EXIT_CODE);
}

/// A file that is being written. If the program ends before this value is dropped, the file is
/// removed.
pub(crate) struct Unfinished(PathBuf);

impl Unfinished {
    pub(crate) fn new(file: &Path) -> Self {
        unfinished().push(file.to_owned());
        Self(file.to_owned())
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        let mut all = unfinished();
        if let Some(place) = all.iter().position(|path| *path == self.0) {
            all.swap_remove(place);
        }
    }
}

/// Does `work`, which is quick: a signal does not end the program before `work` is done.
pub(crate) fn undivided<T>(work: impl FnOnce() -> T) -> T {
    // The program removes unfinished files before it ends.
    let _held = unfinished();
    work()
}

/// Runs `work`, which may spend seconds in a GPU driver that cannot be interrupted, for example
/// while it compiles kernels. After Ctrl-C the program nevertheless ends within a second.
pub(crate) fn while_in_driver<T>(work: impl FnOnce() -> T) -> T {
    IN_DRIVER.fetch_add(1, Ordering::SeqCst);
    let result = work();
    IN_DRIVER.fetch_sub(1, Ordering::SeqCst);
    if is_cancelled() {
        leave_behind();
    }
    result
}

/// Records that the program does not wait for a thread in a GPU driver.
pub(crate) fn leave_behind() {
    LEFT_BEHIND.store(true, Ordering::SeqCst);
}

/// Returns whether the program must end without waiting for threads in GPU drivers.
pub(crate) fn has_left_behind() -> bool {
    LEFT_BEHIND.load(Ordering::SeqCst)
}

/// Returns the flag.
pub(crate) fn flag() -> &'static AtomicBool {
    &CANCELLED
}

/// Returns whether the user asked to stop.
pub(crate) fn is_cancelled() -> bool {
    CANCELLED.load(Ordering::Relaxed)
}

/// Runs `wait`, which may wait for other programs, for example for one that writes to a pipe, or
/// reads from it.
pub(crate) fn while_blocked<T>(wait: impl FnOnce() -> T) -> T {
    BLOCKED.fetch_add(1, Ordering::SeqCst);
    // Either the handler sees that this thread waits, or this thread sees the flag.
    if INSTALLED.is_completed() && CANCELLED.load(Ordering::SeqCst) {
        exit();
    }
    let result = wait();
    BLOCKED.fetch_sub(1, Ordering::SeqCst);
    result
}

/// Does work for another program, which has given it this number. There is one flag, so only one
/// such work is done at a time. If the work `is_stopped` already, the flag is set from the start.
pub(crate) fn for_program<T>(
    number: u64,
    is_stopped: impl FnOnce() -> bool,
    work: impl FnOnce() -> T,
) -> T {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let _reset = Reset;
    {
        let mut current = program();
        *current = Some(number);
        CANCELLED.store(is_stopped(), Ordering::SeqCst);
    }
    work()
}

/// Sets the flag if the work with this number is being done.
pub(crate) fn stop_for_program(number: u64) {
    let current = program();
    if *current == Some(number) {
        CANCELLED.store(true, Ordering::SeqCst);
    }
}

fn program() -> MutexGuard<'static, Option<u64>> {
    PROGRAM.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Clears the flag for the next piece of work, also after a panic.
struct Reset;

impl Drop for Reset {
    fn drop(&mut self) {
        let mut current = program();
        *current = None;
        CANCELLED.store(false, Ordering::SeqCst);
    }
}
