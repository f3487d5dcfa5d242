//! [`Observer`]: watches the production or the check of a certificate, and may end it.

use crate::Violation;

/// Is told how far the work has come, and asked whether it goes on. Its functions are called from
/// all threads that work.
pub trait Observer: Sync {
    /// `done` of `total` states are done with. Said every few thousand states, where that is known.
    fn progress(&self, done: u64, total: u64) {
        let _ = (done, total);
    }

    /// Whether to stop. Asked often: make it cheap.
    fn is_cancelled(&self) -> bool {
        false
    }
}

/// The observer that neither watches nor stops.
pub(crate) struct Silent;

impl Observer for Silent {}

/// Why there is no certificate, or why an answer was not accepted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The answer, or its certificate, violates this obligation.
    #[error(transparent)]
    Violation(#[from] Violation),
    /// The observer ended the work.
    #[error("cancelled")]
    Cancelled,
}

impl Error {
    /// The violation, where nobody could have cancelled.
    pub(crate) fn into_violation(self) -> Violation {
        match self {
            Self::Violation(violation) => violation,
            Self::Cancelled => unreachable!("nobody watches"),
        }
    }
}

/// The number of states that are visited between two questions: well under a millisecond.
const PERIOD: u32 = 1 << 14;

/// An observer, and how many states there are.
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
    /// [`Error::Cancelled`], if so.
    pub(crate) fn check(self) -> Result<(), Error> {
        match self.is_cancelled() {
            true => Err(Error::Cancelled),
            false => Ok(()),
        }
    }

    /// Says how many states are done with.
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

/// Counts what a thread visits, and turns to the observer every [`PERIOD`] visits.
pub(crate) struct Ticker<'a> {
    watch: Watch<'a>,
    until_next: u32,
}

impl Ticker<'_> {
    /// Counts a visit. `done` says how many states are done with, when that is asked.
    #[inline]
    pub(crate) fn tick(&mut self, done: impl FnOnce() -> usize) -> Result<(), Error> {
        self.until_next -= 1;
        match self.until_next {
            0 => self.turn(done()),
            _ => Ok(()),
        }
    }

    /// Counts a visit. Whether the observer was asked, and ends the work.
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
