//! Every few thousand states, tells the observer about the progress and asks it whether to go on.

use crate::{Error, Observer};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

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
        check(self.observer)
    }
}

/// An error, if the observer wants the search to end.
fn check(observer: &dyn Observer) -> Result<(), Error> {
    match observer.is_cancelled() {
        true => Err(Error::Cancelled),
        false => Ok(()),
    }
}

/// The same for several threads at once.
pub(crate) struct Watch<'a> {
    observer: &'a dyn Observer,
    total: u64,
    done: AtomicUsize,
}

impl<'a> Watch<'a> {
    pub(crate) fn new(ticker: &Ticker<'a>, done: usize) -> Self {
        Self {
            observer: ticker.observer,
            total: ticker.total,
            done: AtomicUsize::new(done),
        }
    }

    /// For a thread of its own: it asks whether to go on, and leaves it to this one to tell of
    /// progress.
    pub(crate) fn quiet(&self) -> Quiet<'a> {
        Quiet(self.observer)
    }

    /// So many states more have their final answer.
    pub(crate) fn add(&self, states: usize) {
        let done = self.done.fetch_add(states, Relaxed) + states;
        self.observer.progress(done as u64, self.total);
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        self.observer.is_cancelled()
    }

    pub(crate) fn check(&self) -> Result<(), Error> {
        check(self.observer)
    }
}

/// Asks another observer whether to go on, and tells it nothing.
pub(crate) struct Quiet<'a>(&'a dyn Observer);

impl Observer for Quiet<'_> {
    fn is_cancelled(&self) -> bool {
        self.0.is_cancelled()
    }
}
