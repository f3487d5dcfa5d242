//! [`Watch`]: reports the progress of work, and stops it.

use crate::interrupt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// Looks after one piece of work, from another thread.
#[derive(Debug)]
pub struct Watch {
    /// No other one has this number.
    number: u64,
    stopped: AtomicBool,
    /// What is being done, and how much of it there is, if that is known.
    stage: Mutex<Option<(&'static str, Option<u64>)>>,
    done: AtomicU64,
}

/// How far a piece of work has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Way {
    /// What is being done, such as `decomposing`.
    pub what: &'static str,
    /// How much is done: states, or bytes of a file.
    pub done: u64,
    /// How much there is to do, if that is known.
    pub total: Option<u64>,
}

impl Default for Watch {
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

impl Watch {
    /// Stops the work soon. It ends with [`FailureKind::Stopped`](super::FailureKind::Stopped).
    pub fn stop(&self) {
        self.stopped.store(true, Relaxed);
        interrupt::stop_for_program(self.number);
    }

    /// How far the work has come, if it has begun.
    pub fn way(&self) -> Option<Way> {
        let (what, total) = (*self.stage.lock().unwrap_or_else(PoisonError::into_inner))?;
        let done = self.done.load(Relaxed);
        Some(Way {
            what,
            done: total.map_or(done, |total| done.min(total)),
            total,
        })
    }

    /// The number of the work.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// Whether to stop.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped.load(Relaxed)
    }

    /// A part of the work begins.
    pub(crate) fn begin(&self, what: &'static str, total: Option<u64>) {
        let mut stage = self.stage.lock().unwrap_or_else(PoisonError::into_inner);
        self.done.store(0, Relaxed);
        *stage = Some((what, total));
    }

    /// So much of that part is done.
    pub(crate) fn reach(&self, done: u64) {
        self.done.fetch_max(done, Relaxed);
    }
}
