//! Locks around caches.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks a cache. A panic while it was locked has left it in a valid state.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
