//! [`Trials`]: tries several orders of edges and roots, and keeps a faster one.
//!
//! A search follows the edges of a state from the first one on, or from the last one on, and takes
//! the roots in ascending or descending order. If it waits for memory, this often makes a
//! difference by a factor of two to ten, because in one of the orders it soon comes back to states
//! that are still in a cache. A sample of the edges does not always tell which one: that depends on
//! how the lengths of the edges fit together. The time for the first few thousand states does.

use super::traversal::Traversal;
use crate::cpu::edges::All;
use crate::cpu::ticker::{PERIOD, Ticker};
use crate::{Error, Observer};
use mdp_graph::Index;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A search that takes at most this time for a state or an edge hardly waits for memory, and goes
/// on as it is.
const FAST: Duration = Duration::from_nanos(4);

/// A period of a trial is one in this many of all states, within limits.
const PERIOD_DIVISOR: usize = 128;
const SHORTEST: u32 = if cfg!(test) { 1 } else { PERIOD / 4 };

/// A search that takes this many times as long is very slow. Then the other order of the roots is
/// tried, too.
const VERY_SLOW: u32 = 3;

/// If this many successive periods are slow, the other order of the edges is tried.
const SLOW_PERIODS: u32 = 2;

/// A search that has ended this many periods, or closed one in `MOST_CLOSED` states, goes on as it
/// is.
const MOST_PERIODS: u32 = 8;
const MOST_CLOSED: usize = 32;

/// Another order is kept if it takes at most four fifths of the time.
const FOUR_FIFTHS: f64 = 0.8;

/// A search in the order of a traversal, after so many roots that are components by themselves.
pub(super) trait SearchInOrder<F>:
    Fn(Traversal, usize, &mut Ticker<'_>) -> Result<F, Error>
{
}
impl<F, S: Fn(Traversal, usize, &mut Ticker<'_>) -> Result<F, Error>> SearchInOrder<F> for S {}

/// The result of a search that a trial may stop.
pub(super) enum Tried<F, M> {
    /// The search came to its end.
    Found(F),
    /// The trial stopped it, and measured this.
    Stopped(M),
}

/// Searches of a graph, each of which begins with a trial.
pub(super) struct Trials<'a, I, S> {
    edges: All<'a, I>,
    observer: &'a dyn Observer,
    /// The number of states that are visited in a period, and the longest time of a fast period.
    period: u32,
    fast: Duration,
    search: S,
}

impl<'a, I: Index, S> Trials<'a, I, S> {
    pub(super) fn new(edges: All<'a, I>, ticker: &Ticker<'a>, search: S) -> Self {
        let (n, num_edges) = (edges.num_states(), edges.targets.len());
        let period =
            u32::try_from(n / PERIOD_DIVISOR).map_or(PERIOD, |part| part.clamp(SHORTEST, PERIOD));
        // In nanoseconds for a state with its edges.
        let each = FAST.as_nanos() as u64 * (n + num_edges) as u64 / n as u64;
        Self {
            edges,
            observer: ticker.observer(),
            period,
            fast: Duration::from_nanos(u64::from(period) * each),
            search,
        }
    }

    /// Searches in the order of the traversal or in another one.
    pub(super) fn search<F>(
        &self,
        traversal: Traversal,
        singles: usize,
        ticker: &mut Ticker<'_>,
    ) -> Result<F, Error>
    where
        S: SearchInOrder<F>,
    {
        match self.run(traversal, singles, Rule::UnlessSlow(self.fast))? {
            Tried::Found(found) => Ok(found),
            Tried::Stopped(slow) => self.search_again(traversal, singles, slow, ticker),
        }
    }

    /// Does what [`search`](Self::search) does, but stops if the search is very slow at its
    /// beginning. Then returns the time that it takes for a state.
    pub(super) fn search_unless_very_slow<F>(
        &self,
        traversal: Traversal,
        singles: usize,
        ticker: &mut Ticker<'_>,
    ) -> Result<Tried<F, Duration>, Error>
    where
        S: SearchInOrder<F>,
    {
        let tried = self.run(traversal, singles, Rule::UnlessSlow(self.fast))?;
        Ok(match tried {
            Tried::Found(found) => Tried::Found(found),
            Tried::Stopped(slow) if self.is_very_slow(slow) => {
                Tried::Stopped(slow.time / (slow.periods * self.period))
            }
            Tried::Stopped(slow) => {
                Tried::Found(self.search_again(traversal, singles, slow, ticker)?)
            }
        })
    }

    fn is_very_slow(&self, slow: Clock) -> bool {
        slow.time > VERY_SLOW * slow.periods * self.fast
    }

    /// Searches in another order that is faster than this one, or in this one if there is none.
    fn search_again<F>(
        &self,
        traversal: Traversal,
        singles: usize,
        slow: Clock,
        ticker: &mut Ticker<'_>,
    ) -> Result<F, Error>
    where
        S: SearchInOrder<F>,
    {
        let rule = Rule::Within(slow.periods, slow.time.mul_f64(FOUR_FIFTHS));
        let others = traversal.order.others().into_iter();
        for order in others.take(if self.is_very_slow(slow) { 3 } else { 1 }) {
            let singles = match order.ascends == traversal.order.ascends {
                true => singles,
                false => order.leading_singles(self.edges, ticker)?,
            };
            let other = Traversal { order, ..traversal };
            if let Tried::Found(found) = self.run(other, singles, rule)? {
                tracing::debug!(?order, "a faster order");
                return Ok(found);
            }
        }
        (self.search)(traversal, singles, ticker)
    }

    /// Searches, unless the rule stops that.
    fn run<F>(
        &self,
        traversal: Traversal,
        singles: usize,
        rule: Rule,
    ) -> Result<Tried<F, Clock>, Error>
    where
        S: SearchInOrder<F>,
    {
        let n = self.edges.num_states();
        let trial = Trial::new(self.observer, (singles + n / MOST_CLOSED) as u64, rule);
        let mut ticker = Ticker::with_period(&trial, n, self.period);
        let found = (self.search)(traversal, singles, &mut ticker);
        let clock = *trial.clock();
        match found {
            Err(Error::Cancelled) if clock.is_stopped => Ok(Tried::Stopped(clock)),
            found => found.map(Tried::Found),
        }
    }
}

/// When a trial lets the search go on to its end.
#[derive(Clone, Copy)]
enum Rule {
    /// Unless [`SLOW_PERIODS`] of the first [`MOST_PERIODS`] take longer than this, one after the
    /// other.
    UnlessSlow(Duration),
    /// If this many periods take at most this time.
    Within(u32, Duration),
}

/// An observer that stops a search if that is too slow. It is asked once in each period, after it
/// is told the progress.
struct Trial<'a> {
    observer: &'a dyn Observer,
    /// If more states than this are closed, the search goes on.
    far: u64,
    rule: Rule,
    clock: Mutex<Clock>,
}

/// What a trial has measured. The first period does not count: in it, the search takes memory from
/// the system.
#[derive(Clone, Copy, Default)]
struct Clock {
    begin: Option<Instant>,
    /// The number of periods, their time, and how many of the last ones were slow.
    periods: u32,
    time: Duration,
    slow: u32,
    is_far: bool,
    is_stopped: bool,
}

impl<'a> Trial<'a> {
    fn new(observer: &'a dyn Observer, far: u64, rule: Rule) -> Self {
        Self {
            observer,
            far,
            rule,
            clock: Mutex::default(),
        }
    }

    fn clock(&self) -> MutexGuard<'_, Clock> {
        self.clock.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Observer for Trial<'_> {
    fn progress(&self, done: u64, total: u64) {
        self.observer.progress(done, total);
        self.clock().is_far |= done > self.far;
    }

    fn is_cancelled(&self) -> bool {
        let mut clock = self.clock();
        clock.is_stopped |= clock.is_too_slow(self.rule);
        clock.is_stopped || self.observer.is_cancelled()
    }
}

impl Clock {
    /// Counts a period. Returns whether the search is too slow.
    fn is_too_slow(&mut self, rule: Rule) -> bool {
        let Some(begin) = self.begin else {
            self.begin = Some(Instant::now());
            return false;
        };
        let most = match rule {
            Rule::UnlessSlow(_) => MOST_PERIODS,
            Rule::Within(periods, _) => periods,
        };
        if self.is_far || self.periods >= most {
            return false;
        }
        let time = begin.elapsed();
        let last = time - std::mem::replace(&mut self.time, time);
        self.periods += 1;
        match rule {
            Rule::UnlessSlow(fast) => {
                self.slow = if last > fast { self.slow + 1 } else { 0 };
                self.slow == SLOW_PERIODS
            }
            Rule::Within(_, most) => time > most,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Silent;
    use std::thread::sleep;

    /// Asks a trial ten times whether the search is too slow. Before each question, it is told a
    /// number of closed states. Returns the number of the first question that it answers with yes.
    fn stops_at(rule: Rule, closed: impl Fn(u64) -> u64) -> Option<u64> {
        let trial = Trial::new(&Silent, 100, rule);
        (1..=10).find(|&question| {
            sleep(Duration::from_micros(10));
            trial.progress(closed(question), 1000);
            trial.is_cancelled()
        })
    }

    #[test]
    fn a_slow_search_is_stopped_at_its_beginning_only() {
        let (slow, fast) = (Duration::ZERO, Duration::MAX);
        assert_eq!(stops_at(Rule::UnlessSlow(slow), |_| 0), Some(3));
        assert_eq!(stops_at(Rule::UnlessSlow(fast), |_| 0), None);
        assert_eq!(stops_at(Rule::UnlessSlow(slow), |asked| 60 * asked), None);
        assert_eq!(stops_at(Rule::Within(3, slow), |_| 0), Some(2));
        assert_eq!(stops_at(Rule::Within(3, fast), |_| 0), None);
        assert_eq!(stops_at(Rule::Within(0, slow), |_| 0), None);
    }

    #[test]
    fn a_search_in_several_orders_can_be_cancelled() {
        struct Impatient;
        impl Observer for Impatient {
            fn is_cancelled(&self) -> bool {
                true
            }
        }
        let n = 1000_u32;
        let rows: Vec<u32> = (0..=n).map(|state| 2 * state).collect();
        let targets: Vec<u32> = (0..n).flat_map(|s| [(s + 1) % n, (s + 7) % n]).collect();
        let edges = All {
            rows: &rows,
            targets: &targets,
        };
        let traversal = Traversal::of(edges);
        let mut ticker = Ticker::new(&Impatient, n as usize);
        let search = |_: Traversal, _: usize, ticker: &mut Ticker<'_>| ticker.check();
        let trials = Trials::new(edges, &ticker, search);
        let found = trials.search(traversal, 0, &mut ticker);
        assert!(matches!(found, Err(Error::Cancelled)));
    }
}
