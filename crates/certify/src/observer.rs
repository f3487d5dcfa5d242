//! [`Observer`]: watches the production or the check of a certificate, and may cancel it.

use crate::Violation;

/// Receives the progress of the work, and may cancel it. The methods are called from all threads
/// that work.
pub trait Observer: Sync {
    /// Reports that `done` of `total` states are done. Called every few thousand states, if the
    /// number is known.
    fn progress(&self, done: u64, total: u64) {
        let _ = (done, total);
    }

    /// Returns whether to cancel the work. This method is called often, so it should be fast.
    fn is_cancelled(&self) -> bool {
        false
    }
}

/// An observer that ignores progress and never cancels.
pub(crate) struct Silent;

impl Observer for Silent {}

/// The reason for which there is no certificate, or an answer was not accepted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The answer, or its certificate, violates this obligation.
    #[error(transparent)]
    Violation(#[from] Violation),
    /// The observer cancelled the work.
    #[error("cancelled")]
    Cancelled,
}

impl Error {
    /// Returns the violation. The error must not be a cancellation.
    pub(crate) fn into_violation(self) -> Violation {
        match self {
            Self::Violation(violation) => violation,
            Self::Cancelled => unreachable!("there is no observer that could cancel the work"),
        }
    }
}

/// The number of visits between two calls of the observer. They take well under a millisecond.
const PERIOD: u32 = 1 << 14;

/// An observer, and the number of states.
#[derive(Clone, Copy)]
pub(crate) struct Watch<'a> {
    observer: &'a dyn Observer,
    num_states: usize,
}

impl<'a> Watch<'a> {
    pub(crate) fn new(observer: &'a dyn Observer, num_states: usize) -> Self {
        Self {
            observer,
            num_states,
        }
    }

    pub(crate) fn is_cancelled(self) -> bool {
        self.observer.is_cancelled()
    }

    /// # Errors
    /// [`Error::Cancelled`] if the observer cancels the work.
    pub(crate) fn check(self) -> Result<(), Error> {
        match self.is_cancelled() {
            true => Err(Error::Cancelled),
            false => Ok(()),
        }
    }

    /// Reports the number of states that are done.
    pub(crate) fn report(self, done: usize) {
        let total = self.num_states;
        self.observer.progress(done.min(total) as u64, total as u64);
    }

    pub(crate) fn ticker(self) -> Ticker<'a> {
        Ticker {
            watch: self,
            until_next: PERIOD,
        }
    }
}

/// Counts the visits of a thread, and calls the observer every [`PERIOD`] visits.
pub(crate) struct Ticker<'a> {
    watch: Watch<'a>,
    until_next: u32,
}

impl Ticker<'_> {
    /// Counts a visit. `done` returns the number of states that are done; it is called with the
    /// observer.
    #[inline]
    pub(crate) fn tick(&mut self, done: impl FnOnce() -> usize) -> Result<(), Error> {
        self.until_next -= 1;
        match self.until_next {
            0 => self.turn(done()),
            _ => Ok(()),
        }
    }

    /// Counts a visit. Returns whether the observer was called and cancels the work.
    #[inline]
    pub(crate) fn is_cancelled(&mut self) -> bool {
        self.until_next -= 1;
        if self.until_next > 0 {
            return false;
        }
        self.until_next = PERIOD;
        self.watch.is_cancelled()
    }

    #[cold]
    fn turn(&mut self, done: usize) -> Result<(), Error> {
        self.until_next = PERIOD;
        self.watch.report(done);
        self.watch.check()
    }
}
