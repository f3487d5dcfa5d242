//! [`AdaptivePrefetch`]: finds out during a search whether prefetching makes it faster.
//!
//! Prefetching reads the data of all targets of a state, and the search may need few of them: for
//! example, in a strongly connected graph, it may end before it comes back to most states. A sample
//! of the edges does not tell that. So the search compares its own times with prefetching and
//! without, again and again, because different parts of a graph may differ. Nothing is lost by a
//! change in the midst of a search.

use crate::Observer;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The number of periods that are timed with prefetching, and without.
const TIMED: u32 = 2;

/// The number of periods before the next comparison, at first and at most. It doubles as long as
/// nothing changes.
const FIRST_REST: u32 = 16;
const LONGEST_REST: u32 = 128;

/// A change has to save at least one in this many parts of the time.
const LEAST_SAVING: u32 = 8;

/// The observer of a search. At the end of each period, it decides whether the search prefetches in
/// the next one.
pub(super) struct AdaptivePrefetch<'a> {
    observer: &'a dyn Observer,
    is_on: AtomicBool,
    clock: Mutex<Clock>,
}

/// The time of the current comparison.
struct Clock {
    /// When the last period ended.
    last: Option<Instant>,
    /// The number of periods since the comparison began.
    periods: u32,
    /// The time of the periods in which the search prefetched as before, and of those in which it
    /// did the opposite.
    usual: Duration,
    opposite: Duration,
    /// The number of periods between this comparison and the next one.
    rest: u32,
}

impl<'a> AdaptivePrefetch<'a> {
    /// Returns the observer of a search that prefetches at first.
    pub(super) fn new(observer: &'a dyn Observer) -> Self {
        Self {
            observer,
            is_on: AtomicBool::new(true),
            clock: Mutex::new(Clock {
                last: None,
                periods: 0,
                usual: Duration::ZERO,
                opposite: Duration::ZERO,
                rest: FIRST_REST,
            }),
        }
    }

    /// Returns whether the search prefetches now.
    pub(super) fn is_on(&self) -> &AtomicBool {
        &self.is_on
    }
}

impl Observer for AdaptivePrefetch<'_> {
    fn progress(&self, done: u64, total: u64) {
        self.observer.progress(done, total);
    }

    fn is_cancelled(&self) -> bool {
        let mut clock = self.clock.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        // In the first period, the search takes memory from the system.
        if let Some(last) = clock.last.replace(now)
            && clock.ends_period(now - last)
        {
            self.is_on.fetch_xor(true, Relaxed);
        }
        self.observer.is_cancelled()
    }
}

impl Clock {
    /// Ends a period that took this time. Returns whether prefetching changes.
    fn ends_period(&mut self, time: Duration) -> bool {
        self.periods += 1;
        match self.periods {
            ..=TIMED => self.usual += time,
            period if period <= 2 * TIMED => self.opposite += time,
            _ => {}
        }
        if self.periods == TIMED {
            return true;
        }
        if self.periods == 2 * TIMED {
            let is_better = self.opposite < self.usual - self.usual / LEAST_SAVING;
            self.rest = match is_better {
                true => FIRST_REST,
                false => LONGEST_REST.min(2 * self.rest),
            };
            return !is_better;
        }
        if self.periods == 2 * TIMED + self.rest {
            self.periods = 0;
            (self.usual, self.opposite) = (Duration::ZERO, Duration::ZERO);
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns for so many periods whether the search prefetches, if its periods take these times
    /// with prefetching and without.
    fn run(with: u64, without: u64, periods: usize) -> Vec<bool> {
        let prefetch = AdaptivePrefetch::new(&crate::Silent);
        let mut clock = prefetch.clock.lock().expect("nobody panics");
        let mut is_on = true;
        let mut end_period = |_| {
            let time = Duration::from_micros(if is_on { with } else { without });
            is_on ^= clock.ends_period(time);
            is_on
        };
        (0..periods).map(&mut end_period).collect()
    }

    #[test]
    fn the_search_prefetches_if_that_saves_time() {
        let few = |found: &[bool], which| found.iter().filter(|&&is| is == which).count() < 20;
        let periods = 300;
        assert!(few(&run(10, 30, periods), false));
        assert!(few(&run(30, 10, periods), true));
        // A small difference changes nothing.
        assert!(few(&run(30, 29, periods), false));
    }
}
