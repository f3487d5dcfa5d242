//! Memory that successive dispatches reuse. Most dispatches are so short that allocating memory
//! would take longer than running them.

use std::sync::{Mutex, PoisonError};

use super::races::Races;
use super::stale::Stale;

/// Values that are not in use at the moment.
#[derive(Debug)]
pub(super) struct Spare<T>(Mutex<Vec<T>>);

/// The records of accesses to the words of some memory.
#[derive(Debug, Default)]
pub(super) struct Notes {
    pub(super) races: Races,
    pub(super) stale: Stale,
}

/// The records of accesses to words, which are empty here, but have memory reserved.
static NOTES: Spare<Notes> = Spare::new();

impl Notes {
    /// Takes empty records.
    pub(super) fn take() -> Self {
        NOTES.take()
    }

    /// Clears the records, and keeps their memory for others.
    pub(super) fn give_back(mut self) {
        self.races.clear();
        self.stale.clear();
        NOTES.give_back(self);
    }
}

/// The frames of invocations that have ended, which are not cleared. A kernel sets all registers
/// before it reads them, except for inputs and constants.
pub(super) type Frames = Vec<Vec<u32>>;

/// The frames of the invocations of a kernel.
pub(super) type SpareFrames = Spare<Frames>;

impl<T> Spare<T> {
    pub(super) const fn new() -> Self {
        Self(Mutex::new(Vec::new()))
    }
}

impl<T: Default> Spare<T> {
    /// Returns a value from the pool, or a new one.
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

/// A clone does not copy the values in the pool.
impl<T> Clone for Spare<T> {
    fn clone(&self) -> Self {
        Self::new()
    }
}
