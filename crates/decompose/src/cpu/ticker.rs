//! Tells the observer of progress, and asks it whether to go on, every few thousand states.

use crate::{Error, Observer};

/// How many states are visited between two questions: well under a millisecond.
pub(crate) const PERIOD: u32 = 1 << 14;

pub(crate) struct Ticker<'a> {
    observer: &'a dyn Observer,
    total: u64,
    until_next: u32,
}

impl<'a> Ticker<'a> {
    pub(crate) fn new(observer: &'a dyn Observer, num_states: usize) -> Self {
        Self {
            observer,
            total: num_states as u64,
            until_next: PERIOD,
        }
    }

    /// Counts one visited state; `done` is how many states have their final answer.
    #[inline]
    pub(crate) fn tick(&mut self, done: impl FnOnce() -> usize) -> Result<(), Error> {
        self.until_next -= 1;
        if self.until_next == 0 {
            self.until_next = PERIOD;
            self.report(done())?;
        }
        Ok(())
    }

    #[cold]
    pub(crate) fn report(&self, done: usize) -> Result<(), Error> {
        self.observer.progress(done as u64, self.total);
        self.check()
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        self.observer.is_cancelled()
    }

    pub(crate) fn check(&self) -> Result<(), Error> {
        if self.is_cancelled() {
            return Err(Error::Cancelled);
        }
        Ok(())
    }
}
