//! Locks around caches, and turns to open and to close devices.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Locks a cache. A panic while it was locked has left it in a valid state.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether a thread has the turn.
static IS_TAKEN: Mutex<bool> = Mutex::new(false);
static IS_FREE: Condvar = Condvar::new();

/// The turn to open or to close a device, which one thread of the process has at a time. NVIDIA's
/// driver hung in a third of the runs in which eight threads opened and closed devices at once.
///
/// Unlike a guard of a lock, a turn may end on another thread than it began on.
pub(super) struct Turn(());

impl Turn {
    /// Waits for the turn, which lasts until it is dropped.
    pub(super) fn take() -> Self {
        let taken = IS_FREE.wait_while(lock(&IS_TAKEN), |is_taken| *is_taken);
        *taken.unwrap_or_else(PoisonError::into_inner) = true;
        Self(())
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        *lock(&IS_TAKEN) = false;
        IS_FREE.notify_one();
    }
}
