//! [`Supervisor`]: reports the progress of work, and stops it.

use crate::interrupt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// Supervises a piece of work from another thread.
#[derive(Debug)]
pub struct Supervisor {
    /// The unique number of the work.
    number: u64,
    stopped: AtomicBool,
    /// The current step, and its total amount of work, if it is known.
    stage: Mutex<Option<(&'static str, Option<u64>)>>,
    done: AtomicU64,
}

/// The progress of a piece of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The current step, such as `decomposing`.
    pub what: &'static str,
    /// The amount of work that is done, in states or in bytes of a file.
    pub done: u64,
    /// The total amount of work, if it is known.
    pub total: Option<u64>,
}

impl Default for Supervisor {
    fn default() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self {
            number: NEXT.fetch_add(1, Relaxed),
            stopped: AtomicBool::new(false),
            stage: Mutex::new(None),
            done: AtomicU64::new(0),
        }
    }
}

impl Supervisor {
    /// Stops the work soon. It ends with [`FailureKind::Stopped`](super::FailureKind::Stopped).
    pub fn stop(&self) {
        self.stopped.store(true, Relaxed);
        interrupt::stop_for_program(self.number);
    }

    /// Returns the progress of the work, if it has begun.
    pub fn progress(&self) -> Option<Progress> {
        let (what, total) = (*self.stage.lock().unwrap_or_else(PoisonError::into_inner))?;
        let done = self.done.load(Relaxed);
        Some(Progress {
            what,
            done: total.map_or(done, |total| done.min(total)),
            total,
        })
    }

    /// Returns the number of the work.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// Returns whether to stop.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped.load(Relaxed)
    }

    /// Begins a step of the work.
    pub(crate) fn begin(&self, what: &'static str, total: Option<u64>) {
        let mut stage = self.stage.lock().unwrap_or_else(PoisonError::into_inner);
        self.done.store(0, Relaxed);
        *stage = Some((what, total));
    }

    /// Sets the amount of this step that is done.
    pub(crate) fn reach(&self, done: u64) {
        self.done.fetch_max(done, Relaxed);
    }
}
