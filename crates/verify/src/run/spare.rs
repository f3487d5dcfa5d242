//! Memory that dispatches reuse one after the other. Most dispatches are so short that allocating
//! memory would take longer than running them.

use std::sync::{Mutex, PoisonError};

use super::races::Races;
use super::stale::Stale;

/// Things that are not in use at the moment.
#[derive(Debug)]
pub(super) struct Spare<T>(Mutex<Vec<T>>);

/// What has been noted of words; empty here, but with room.
pub(super) static NOTES: Spare<(Races, Stale)> = Spare::new();

/// Frames that no invocation has, as those leave them that had them. A kernel sets what it reads;
/// only inputs and constants have to be there.
pub(super) type Frames = Vec<Vec<u32>>;

/// Frames of the invocations of a kernel.
pub(super) type SpareFrames = Spare<Frames>;

impl<T> Spare<T> {
    pub(super) const fn new() -> Self {
        Self(Mutex::new(Vec::new()))
    }
}

impl<T: Default> Spare<T> {
    /// One that was given back, or a new one.
    pub(super) fn take(&self) -> T {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.pop().unwrap_or_default()
    }

    pub(super) fn give_back(&self, one: T) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.push(one);
    }
}

impl<T> Default for Spare<T> {
    fn default() -> Self {
        Self::new()
    }
}

/// What belongs to a kernel is not copied with it.
impl<T> Clone for Spare<T> {
    fn clone(&self) -> Self {
        Self::new()
    }
}
