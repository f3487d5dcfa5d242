//! Every few thousand states, reports progress to the observer, and asks it whether to continue.

use crate::{Error, Observer};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// The number of states that are visited between two reports. This takes well under a millisecond.
pub(crate) const PERIOD: u32 = 1 << 14;

pub(crate) struct Ticker<'a> {
    observer: &'a dyn Observer,
    total: u64,
    period: u32,
    until_next: u32,
}

impl<'a> Ticker<'a> {
    pub(crate) fn new(observer: &'a dyn Observer, num_states: usize) -> Self {
        Self::with_period(observer, num_states, PERIOD)
    }

    /// Returns a ticker that reports after every `period` states.
    fn with_period(observer: &'a dyn Observer, num_states: usize, period: u32) -> Self {
        Self {
            observer,
            total: num_states as u64,
            period,
            until_next: period,
        }
    }

    /// Returns a ticker that reports to another observer. It goes on where this one is, unless its
    /// period is shorter.
    pub(crate) fn observed_by<'b>(&self, observer: &'b dyn Observer, period: u32) -> Ticker<'b> {
        Ticker {
            observer,
            total: self.total,
            period,
            until_next: self.until_next.min(period),
        }
    }

    /// Returns a ticker that goes on where this one is.
    #[inline(always)]
    pub(crate) fn same(&self) -> Self {
        Self { ..*self }
    }

    pub(crate) fn period(&self) -> u32 {
        self.period
    }

    pub(crate) fn observer(&self) -> &'a dyn Observer {
        self.observer
    }

    /// Counts one visited state. `done` returns the number of states with a final answer.
    #[inline(always)]
    pub(crate) fn tick(&mut self, done: impl FnOnce() -> usize) -> Result<(), Error> {
        self.until_next -= 1;
        if self.until_next == 0 {
            self.until_next = self.period;
            self.report(done())?;
        }
        Ok(())
    }

    #[inline(always)]
    pub(crate) fn report(&self, done: usize) -> Result<(), Error> {
        report(self.observer, done as u64, self.total)
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        self.observer.is_cancelled()
    }

    pub(crate) fn check(&self) -> Result<(), Error> {
        check(self.observer)
    }
}

/// Reports progress. The parameters are values, and not a ticker, so that the compiler can keep a
/// ticker in registers.
#[cold]
fn report(observer: &dyn Observer, done: u64, total: u64) -> Result<(), Error> {
    observer.progress(done, total);
    check(observer)
}

/// Returns an error if the observer cancels the search.
fn check(observer: &dyn Observer) -> Result<(), Error> {
    match observer.is_cancelled() {
        true => Err(Error::Cancelled),
        false => Ok(()),
    }
}

/// A ticker for several threads at once.
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

    /// Returns an observer for another thread. It asks whether to continue, but reports no
    /// progress.
    pub(crate) fn quiet(&self) -> Quiet<'a> {
        Quiet(self.observer)
    }

    /// Records that this many more states have a final answer.
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

/// Asks another observer whether to continue, and reports nothing to it.
pub(crate) struct Quiet<'a>(&'a dyn Observer);

impl Observer for Quiet<'_> {
    fn is_cancelled(&self) -> bool {
        self.0.is_cancelled()
    }
}
