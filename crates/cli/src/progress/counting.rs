//! The observer of work whose progress is a number.

use crate::interrupt;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Counts the states that are done, and stops the work after Ctrl-C.
#[derive(Debug, Default)]
pub(crate) struct Counting {
    pub(crate) done: AtomicU64,
}

impl certify::Observer for Counting {
    fn progress(&self, done: u64, _: u64) {
        // All threads report, and a number may arrive after a larger one.
        self.done.fetch_max(done, Relaxed);
    }

    fn is_cancelled(&self) -> bool {
        interrupt::is_cancelled()
    }
}

impl decompose::Observer for Counting {
    fn progress(&self, done: u64, _: u64) {
        // A search may consist of several passes, each of which counts from 0.
        self.done.store(done, Relaxed);
    }

    fn is_cancelled(&self) -> bool {
        interrupt::is_cancelled()
    }
}
