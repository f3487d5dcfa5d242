//! [`Pace`]: finds out at the beginning of a search by one thread whether it is slow.

use crate::Observer;
use crate::cpu::edges::AllEdges;
use crate::cpu::ticker::{PERIOD, Ticker};
use mdp_graph::Index;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A search is slow if it takes longer than this for a state, if each state had one edge.
const SLOW: Duration = Duration::from_nanos(50);

/// The number of periods that are timed. The one before them is not: in it, the search takes memory
/// from the system. The median counts.
const PERIODS: usize = 5;

/// A period is one in this many of all states, within limits.
const PERIOD_DIVISOR: usize = 2048;
const SHORTEST: u32 = if cfg!(test) { 1 } else { PERIOD / 64 };
const LONGEST: u32 = PERIOD / 8;

/// Returns the number of states that are visited in a period of a search of this many states.
pub(super) fn period(num_states: usize) -> u32 {
    let period = u32::try_from(num_states / PERIOD_DIVISOR);
    period.map_or(LONGEST, |part| part.clamp(SHORTEST, LONGEST))
}

/// The observer of a search. It stops the search after [`PERIODS`] if it is slow and most of the
/// visited states are open. Then a giant component is likely, and sweeps may find it sooner.
pub(super) struct Pace<'a> {
    observer: &'a dyn Observer,
    /// The number of states that are visited in a period.
    period: u32,
    /// The longest time of a period of a search that is not slow.
    most: Duration,
    /// The number of states that are closed before the search.
    singles: u64,
    clock: Mutex<Clock>,
}

/// What was measured.
#[derive(Default)]
struct Clock {
    /// When the last period ended.
    last: Option<Instant>,
    times: Vec<Duration>,
    /// The number of states that are closed.
    closed: u64,
    is_slow: bool,
}

impl<'a> Pace<'a> {
    /// Returns the observer of a search of a graph, in which `singles` states are closed before.
    pub(super) fn new<I: Index>(
        edges: AllEdges<'_, I>,
        singles: usize,
        ticker: &Ticker<'a>,
    ) -> Self {
        let (states, edges) = (edges.num_states(), edges.targets.len());
        let period = period(states);
        // Many edges of the first states are not looked at yet. Later, the search looks at all.
        let share = states as f64 / (states + edges) as f64;
        Self {
            observer: ticker.observer(),
            period,
            most: period * SLOW.mul_f64(2.0 * share),
            singles: singles as u64,
            clock: Mutex::default(),
        }
    }

    /// Returns a ticker for the search. It goes on where the other one is.
    pub(super) fn ticker(&self, other: &Ticker<'_>) -> Ticker<'_> {
        other.observed_by(self, self.period)
    }

    /// Returns whether the search was stopped because it is slow.
    pub(super) fn is_slow(&self) -> bool {
        self.clock().is_slow
    }

    fn clock(&self) -> MutexGuard<'_, Clock> {
        self.clock.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Observer for Pace<'_> {
    fn progress(&self, done: u64, total: u64) {
        self.observer.progress(done, total);
        self.clock().closed = done;
    }

    fn is_cancelled(&self) -> bool {
        let mut clock = self.clock();
        if clock.times.len() < PERIODS && clock.ends_last_period() {
            let visited = (PERIODS as u64 + 1) * u64::from(self.period);
            let closed = clock.closed.saturating_sub(self.singles);
            clock.is_slow = 2 * closed < visited && clock.median() > self.most;
        }
        clock.is_slow || self.observer.is_cancelled()
    }
}

impl Clock {
    /// Ends a period. Returns whether it was the last one.
    fn ends_last_period(&mut self) -> bool {
        let now = Instant::now();
        if let Some(before) = self.last.replace(now) {
            self.times.push(now - before);
        }
        self.times.len() == PERIODS
    }

    fn median(&mut self) -> Duration {
        self.times.sort_unstable();
        let median = self.times[PERIODS / 2];
        tracing::debug!(?median, "the pace of one thread");
        median
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Silent;

    /// Returns whether a search is stopped that has closed so many states when its periods, each of
    /// one state, have ended.
    fn is_stopped(closed: u64, most: Duration) -> bool {
        let pace = Pace {
            observer: &Silent,
            period: 1,
            most,
            singles: 3,
            clock: Mutex::default(),
        };
        pace.progress(closed, 100);
        let stops: Vec<bool> = (0..PERIODS + 2).map(|_| pace.is_cancelled()).collect();
        assert!(!stops[..PERIODS].contains(&true));
        assert_eq!(stops[PERIODS], stops[PERIODS + 1]);
        assert_eq!(stops[PERIODS], pace.is_slow());
        pace.is_slow()
    }

    #[test]
    fn a_slow_search_is_stopped_if_most_states_are_open() {
        assert!(is_stopped(3, Duration::ZERO));
        assert!(is_stopped(5, Duration::ZERO));
        assert!(!is_stopped(6, Duration::ZERO));
        assert!(!is_stopped(3, Duration::MAX));
    }
}
