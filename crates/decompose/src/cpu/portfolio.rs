//! [`first_of`]: searches of one graph at the same time, of which the first result counts.
//!
//! Which of several searches is the fastest often depends on properties of the graph that no sample
//! shows. A search by one thread takes only one of many threads, so it may run beside the others.
//! Then many threads do not take much longer than one. The search by many threads must not need all
//! of them at the same time ([`mdp_graph::on_threads`]).

use super::ticker::Ticker;
use crate::{Error, Observer};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// The number of states that a search by one thread visits before it checks whether another search
/// has ended. This takes well under a tenth of a millisecond.
const PERIOD: u32 = 1 << 10;

/// Searches a graph in several ways at the same time: `one` by one thread for each of the `orders`,
/// and `many` by all other threads. Returns the result that is found first, and stops the other
/// searches. `many` may give up and return `None`. Until then it reports progress; then the search
/// in the first order does.
///
/// # Errors
/// The first error, if no search has found a result before.
pub(super) fn first_of<O: Copy + Send + Sync, T: Send>(
    orders: &[O],
    one: impl Fn(O, &mut Ticker<'_>) -> Result<T, Error> + Sync,
    many: impl FnOnce(&mut Ticker<'_>) -> Result<Option<T>, Error> + Send,
    ticker: &Ticker<'_>,
) -> Result<T, Error> {
    let (is_over, first) = (AtomicBool::new(false), Mutex::new(None));
    let has_given_up = &AtomicBool::new(false);
    let (always, never) = (&AtomicBool::new(true), &AtomicBool::new(false));
    let end = |found: Option<Result<T, Error>>| {
        let mut first = first.lock().unwrap_or_else(PoisonError::into_inner);
        if found.is_some() && first.is_none() {
            is_over.store(true, Relaxed);
            *first = found;
        }
    };
    let observer = |reports| MemberObserver {
        observer: ticker.observer(),
        is_over: &is_over,
        reports,
    };
    let search = &|order, reports| {
        let observer = observer(reports);
        end(Some(one(order, &mut ticker.observed_by(&observer, PERIOD))));
    };
    // Other threads take the oldest task first. So all searches by one thread have begun when
    // `many` begins, and none of its threads begins one while it waits for a part of `many`.
    rayon::in_place_scope(|scope| {
        let (&own, others) = orders.split_first().expect("there is an order");
        for &order in others {
            scope.spawn(move |_| search(order, never));
        }
        scope.spawn(|_| {
            let observer = observer(always);
            let found = many(&mut ticker.observed_by(&observer, ticker.period()));
            has_given_up.store(matches!(found, Ok(None)), Relaxed);
            end(found.transpose());
        });
        search(own, has_given_up);
    });
    let first = first.into_inner().unwrap_or_else(PoisonError::into_inner);
    first.expect("each search by one thread ends")
}

/// The observer of one of the searches. It stops that search when another one has ended.
struct MemberObserver<'a> {
    observer: &'a dyn Observer,
    is_over: &'a AtomicBool,
    /// Whether this search reports progress.
    reports: &'a AtomicBool,
}

impl Observer for MemberObserver<'_> {
    fn progress(&self, done: u64, total: u64) {
        if self.reports.load(Relaxed) {
            self.observer.progress(done, total);
        }
    }

    fn is_cancelled(&self) -> bool {
        self.is_over.load(Relaxed) || self.observer.is_cancelled()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Silent;
    use std::sync::atomic::AtomicU64;

    /// Runs until it is stopped.
    fn forever<T>(ticker: &mut Ticker<'_>) -> Result<T, Error> {
        loop {
            ticker.check()?;
            std::thread::yield_now();
        }
    }

    /// Three searches by one thread, of which the one with this number finds its number.
    fn in_portfolio(
        finds: u32,
        many: impl FnOnce(&mut Ticker<'_>) -> Result<Option<u32>, Error> + Send,
        observer: &dyn Observer,
    ) -> Result<u32, Error> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(4).build();
        let one = |order, ticker: &mut Ticker<'_>| match order == finds {
            true => Ok(order),
            false => forever(ticker),
        };
        let ticker = Ticker::new(observer, 1);
        let pool = pool.expect("four threads can be started");
        pool.install(|| first_of(&[1, 2, 3], one, many, &ticker))
    }

    #[test]
    fn the_first_result_counts_and_the_other_searches_are_stopped() {
        for finds in [1, 2, 3] {
            assert_eq!(in_portfolio(finds, forever, &Silent), Ok(finds));
            assert_eq!(in_portfolio(finds, |_| Ok(None), &Silent), Ok(finds));
        }
        assert_eq!(in_portfolio(0, |_| Ok(Some(4)), &Silent), Ok(4));
    }

    /// Only one search reports: the one by many threads, or after it the first of the others.
    #[test]
    fn progress_comes_from_one_search_at_a_time() {
        #[derive(Default)]
        struct Last(AtomicU64);
        impl Observer for Last {
            fn progress(&self, done: u64, _: u64) {
                self.0.store(done, Relaxed);
            }
        }
        let last = Last::default();
        let one = |order: u64, ticker: &mut Ticker<'_>| {
            while last.0.load(Relaxed) != 1 {
                ticker.report(order as usize)?;
                assert_ne!(last.0.load(Relaxed), 2, "the second search is silent");
            }
            Ok(order)
        };
        let many = |ticker: &mut Ticker<'_>| {
            ticker.report(3)?;
            Ok(None)
        };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build();
        let ticker = Ticker::new(&last, 1);
        let pool = pool.expect("three threads can be started");
        let found = pool.install(|| first_of(&[1, 2], one, many, &ticker));
        assert!(found.is_ok());
    }

    #[test]
    fn the_first_error_ends_all_searches() {
        let fails = |_: &mut Ticker<'_>| Err(Error::Cancelled);
        assert_eq!(in_portfolio(0, fails, &Silent), Err(Error::Cancelled));
    }

    #[test]
    fn all_searches_are_cancelled_by_the_observer() {
        struct Impatient;
        impl Observer for Impatient {
            fn is_cancelled(&self) -> bool {
                true
            }
        }
        assert_eq!(in_portfolio(0, forever, &Impatient), Err(Error::Cancelled));
    }
}
