//! [`Trials`]: tries several orders of edges and roots, and keeps the fastest one. Then tries to
//! search without prefetching targets.
//!
//! A search follows the edges of a state from the first one on, or from the last one on, and takes
//! the roots in ascending or descending order. This often makes a difference by a factor of two to
//! ten, because in one of the orders it soon comes back to states that are still in a cache. A
//! sample of the edges does not always tell which order this is. The times for the first few
//! thousand states do. They also tell whether it helps to prefetch targets, which it does if the
//! data of all targets are needed soon.
//!
//! When a search changes its order, it forgets its path, but keeps the components that it has
//! found.

use super::traversal::Traversal;
use crate::Observer;
use crate::cpu::edges::All;
use crate::cpu::ticker::{PERIOD, Ticker};
use mdp_graph::Index;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A search that takes at most this time for a state hardly waits for memory, and goes on as it is.
const FAST: Duration = Duration::from_nanos(3);

/// The number of orders.
const ORDERS: usize = 4;

/// The number of periods of a trial that are timed. The one before them is not: in it, the search
/// takes memory from the system. The median counts.
const PERIODS: usize = 5;

/// A period is one in this many of all states, within limits.
const PERIOD_DIVISOR: usize = 2048;
const SHORTEST: u32 = if cfg!(test) { 1 } else { PERIOD / 64 };
const LONGEST: u32 = PERIOD / 8;

/// A search that has closed one in this many states goes on as it is.
const MOST_CLOSED: usize = 32;

/// A search is slow if it is expected to take longer than this for a state. Many edges of the first
/// states that it visits are not looked at yet; later, it looks at all edges.
const SLOW: Duration = Duration::from_nanos(50);

/// Another order is faster if it takes at most four fifths of the time: smaller differences at the
/// beginning say nothing about the rest.
const FOUR_FIFTHS: f64 = 0.8;

/// Orders that are tried one after the other. This is the observer of the search: it stops the
/// search when the next order is to be tried.
pub(super) struct Trials<'a> {
    observer: &'a dyn Observer,
    /// The number of states that are visited in a period.
    period: u32,
    /// The longest time of a fast period.
    fast: Duration,
    /// The longest time of a period with which the search goes on, if it has closed few states.
    slow: Option<Duration>,
    /// The number of states that are closed before.
    singles: u64,
    /// If more states than this are closed, the search goes on.
    far: u64,
    /// The traversals that differ in their orders, beginning with the one that a sample suggests.
    traversals: [Traversal; ORDERS],
    clock: Mutex<Clock>,
}

/// What the trials have measured.
#[derive(Clone, Copy, Default)]
struct Clock {
    /// The number of the traversal that the search uses, and of the fastest one so far. From
    /// [`ORDERS`] on, it prefetches no targets any more.
    current: usize,
    fastest: usize,
    /// Whether the search prefetches targets at first.
    prefetches_targets: bool,
    /// The time of a period below which another traversal is faster than the fastest one so far.
    bound: Option<Duration>,
    /// When the last period ended.
    last: Option<Instant>,
    times: [Duration; PERIODS],
    timed: usize,
    /// The number of all periods, and the number of states that are closed.
    periods: u64,
    closed: u64,
    is_far: bool,
    /// Whether the search goes on to its end.
    is_decided: bool,
    is_stopped: bool,
    /// Whether the search was given up.
    is_given_up: bool,
}

impl<'a> Trials<'a> {
    /// Returns trials that begin in the traversal's order, or none if it does not try others.
    /// `singles` states are closed before.
    pub(super) fn new<I: Index>(
        edges: All<'_, I>,
        traversal: Traversal,
        singles: usize,
        ticker: &Ticker<'a>,
    ) -> Self {
        let num_states = edges.num_states();
        let period = u32::try_from(num_states / PERIOD_DIVISOR);
        let period = period.map_or(LONGEST, |part| part.clamp(SHORTEST, LONGEST));
        let [by_edges, by_roots, by_both] = traversal.order.others();
        let orders = [traversal.order, by_edges, by_roots, by_both];
        let is_decided = !traversal.tries_orders;
        Self {
            observer: ticker.observer(),
            period: if is_decided { ticker.period() } else { period },
            fast: period * FAST,
            slow: None,
            singles: singles as u64,
            far: (singles + num_states / MOST_CLOSED) as u64,
            traversals: orders.map(|order| Traversal { order, ..traversal }),
            clock: Mutex::new(Clock {
                prefetches_targets: traversal.prefetches_targets,
                is_decided,
                ..Clock::default()
            }),
        }
    }

    /// Returns the same, but the search is given up if it is slow in all orders, and most states
    /// that it visits stay open. Then a giant component is likely, and sweeps may find it sooner.
    pub(super) fn unless_slow<I: Index>(self, edges: All<'_, I>) -> Self {
        let (states, edges) = (edges.num_states(), edges.targets.len());
        let share = states as f64 / (states + edges) as f64;
        Self {
            slow: Some(self.period * SLOW.mul_f64(2.0 * share)),
            ..self
        }
    }

    /// Returns the traversal with which to search.
    pub(super) fn traversal(&self) -> Traversal {
        let current = self.clock().current;
        let traversal = self.traversals[current % ORDERS];
        Traversal {
            prefetches_targets: traversal.prefetches_targets && current < ORDERS,
            ..traversal
        }
    }

    /// Returns a ticker for a search that these trials observe. It goes on where the other one is.
    pub(super) fn ticker(&self, other: &Ticker<'_>) -> Ticker<'_> {
        other.observed_by(self, self.period)
    }

    /// Returns whether the search was stopped so that it goes on in another order.
    pub(super) fn take_stop(&self) -> bool {
        let mut clock = self.clock();
        if !clock.is_stopped {
            return false;
        }
        // Without prefetching, the first states may be fast although the rest is slow.
        let closed = clock.closed.saturating_sub(self.singles);
        let stays_open = 2 * closed < clock.periods * u64::from(self.period);
        clock.is_given_up = clock.current + 1 == ORDERS && stays_open && clock.is_slow(self.slow);
        if !clock.is_given_up {
            clock.next();
        }
        !clock.is_given_up
    }

    /// Returns whether the search was given up because it is slow.
    pub(super) fn are_given_up(&self) -> bool {
        self.clock().is_given_up
    }

    fn clock(&self) -> MutexGuard<'_, Clock> {
        self.clock.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Observer for Trials<'_> {
    fn progress(&self, done: u64, total: u64) {
        self.observer.progress(done, total);
        let mut clock = self.clock();
        clock.closed = done;
        clock.is_far |= done > self.far;
    }

    fn is_cancelled(&self) -> bool {
        let mut clock = self.clock();
        if !clock.is_decided && !clock.is_stopped {
            clock.end_period(self.fast);
        }
        clock.is_stopped || self.observer.is_cancelled()
    }
}

impl Clock {
    /// Counts a period, and decides whether the search stops or goes on to its end.
    fn end_period(&mut self, fast: Duration) {
        self.periods += 1;
        let now = Instant::now();
        let Some(before) = self.last.replace(now) else {
            return;
        };
        self.count(now - before, fast);
    }

    fn count(&mut self, time: Duration, fast: Duration) {
        self.times[self.timed] = time;
        self.timed += 1;
        if self.is_far {
            self.is_decided = true;
            return;
        }
        let so_far: Duration = self.times[..self.timed].iter().sum();
        if let Some(bound) = self.bound
            && so_far > bound * PERIODS as u32
        {
            self.is_stopped = true;
        } else if self.timed == PERIODS {
            self.times.sort_unstable();
            self.judge(self.times[PERIODS / 2], fast);
        }
    }

    /// Compares the time of a period with those in other orders.
    fn judge(&mut self, median: Duration, fast: Duration) {
        tracing::debug!(order = self.current, ?median, "trial");
        let is_first = self.bound.is_none();
        if self.bound.is_none_or(|bound| median < bound) {
            self.fastest = self.current;
            self.bound = Some(median.mul_f64(FOUR_FIFTHS));
        }
        let is_last =
            self.current >= ORDERS || self.current + 1 == ORDERS && !self.prefetches_targets;
        self.is_decided = is_first && median <= fast || is_last && self.fastest == self.current;
        self.is_stopped = !self.is_decided;
    }

    /// Returns whether a period takes longer than this in the fastest order.
    fn is_slow(&self, slow: Option<Duration>) -> bool {
        let bound = self.bound.unwrap_or_default();
        slow.is_some_and(|slow| bound > slow.mul_f64(FOUR_FIFTHS))
    }

    /// Goes on to the next traversal, or back to the fastest one.
    fn next(&mut self) {
        if self.current + 1 < ORDERS {
            self.current += 1;
        } else if self.current < ORDERS && self.prefetches_targets {
            self.current = self.fastest + ORDERS;
        } else {
            self.current = self.fastest;
            self.is_decided = true;
        }
        (self.last, self.timed, self.is_stopped) = (None, 0, false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FAST: Duration = Duration::from_micros(10);

    /// Times periods in each order. `times` are in microseconds, one for each order. Returns the
    /// orders in which the search goes on, up to the one in which it ends.
    fn orders(times: [u64; 4]) -> Vec<usize> {
        let mut clock = Clock::default();
        let mut orders = vec![0];
        while !clock.is_decided {
            let current = clock.current;
            clock.count(Duration::from_micros(times[current]), FAST);
            if clock.is_stopped {
                clock.next();
                orders.push(clock.current);
            }
        }
        orders
    }

    #[test]
    fn a_fast_search_goes_on_and_a_slow_one_tries_all_orders() {
        assert_eq!(orders([10, 1, 1, 1]), [0]);
        assert_eq!(orders([11, 11, 11, 11]), [0, 1, 2, 3, 0]);
        assert_eq!(orders([100, 90, 79, 90]), [0, 1, 2, 3, 2]);
        assert_eq!(orders([100, 50, 60, 39]), [0, 1, 2, 3]);
        assert_eq!(orders([100, 50, 60, 41]), [0, 1, 2, 3, 1]);
        assert_eq!(orders([100, 50, 500, 60]), [0, 1, 2, 3, 1]);
    }

    #[test]
    fn a_search_that_prefetches_tries_not_to_in_the_fastest_order() {
        let tried = |without| {
            let mut clock = Clock {
                prefetches_targets: true,
                ..Clock::default()
            };
            let mut tried = vec![0];
            while !clock.is_decided {
                let time = match clock.current {
                    1 => 50,
                    ..ORDERS => 100,
                    _ => without,
                };
                clock.count(Duration::from_micros(time), FAST);
                if clock.is_stopped {
                    clock.next();
                    tried.push(clock.current);
                }
            }
            tried
        };
        assert_eq!(tried(30), [0, 1, 2, 3, 5]);
        assert_eq!(tried(45), [0, 1, 2, 3, 5, 1]);
    }

    #[test]
    fn an_order_is_given_up_as_soon_as_it_has_lost() {
        let mut clock = Clock::default();
        (0..PERIODS).for_each(|_| clock.count(10 * FAST, FAST));
        clock.next();
        clock.count(39 * FAST, FAST);
        assert!(!clock.is_stopped);
        clock.count(2 * FAST, FAST);
        assert!(clock.is_stopped);
    }

    #[test]
    fn one_long_period_does_not_count_and_many_closed_states_decide() {
        let mut clock = Clock::default();
        clock.count(100 * FAST, FAST);
        (1..PERIODS).for_each(|_| clock.count(FAST, FAST));
        assert!(clock.is_decided && !clock.is_stopped);
        let mut clock = Clock {
            is_far: true,
            ..Clock::default()
        };
        clock.count(100 * FAST, FAST);
        assert!(clock.is_decided && !clock.is_stopped);
    }
}
