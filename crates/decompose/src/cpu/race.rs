//! [`first_of`]: two searches of one graph at the same time, of which the first result counts.
//!
//! Which of two searches is faster often depends on properties of the graph that no sample shows.
//! A search by one thread takes only one of many threads, so it may run beside the others. Then
//! many threads do not take much longer than one. The search by many threads must not need all of
//! them at the same time.

use super::ticker::Ticker;
use crate::{Error, Observer};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Searches by one thread and by many threads at the same time. Returns the result that is found
/// first; the other search is stopped. Either search may give up and return `None`. `many` reports
/// progress, and `one` does not.
pub(super) fn first_of<T: Send>(
    one: impl FnOnce(&mut Ticker<'_>) -> Result<Option<T>, Error> + Send,
    many: impl FnOnce(&mut Ticker<'_>) -> Result<Option<T>, Error> + Send,
    ticker: &Ticker<'_>,
) -> Result<Option<T>, Error> {
    let is_over = AtomicBool::new(false);
    let side = |reports| Side {
        observer: ticker.observer(),
        is_over: &is_over,
        reports,
    };
    let (of_one, of_many) = (side(false), side(true));
    let end_if = |has_found: bool| {
        if has_found {
            is_over.store(true, Relaxed);
        }
    };
    // This thread begins with the search by one thread, so another one takes the other search. If
    // it were the other way round, this thread could begin the search by one thread while it waits
    // for a part of the other search.
    let (one, many) = rayon::join(
        || {
            let found = one(&mut ticker.observed_by(&of_one, ticker.period()));
            end_if(matches!(found, Ok(Some(_))));
            found
        },
        || {
            let found = many(&mut ticker.observed_by(&of_many, ticker.period()));
            end_if(matches!(found, Ok(Some(_))));
            found
        },
    );
    match (one, many) {
        (Ok(Some(found)), _) | (_, Ok(Some(found))) => Ok(Some(found)),
        (Ok(None), Ok(None)) => Ok(None),
        (Err(error), _) | (_, Err(error)) => Err(error),
    }
}

/// The observer of one of the searches. It stops that search when the other one has found a result.
struct Side<'a> {
    observer: &'a dyn Observer,
    is_over: &'a AtomicBool,
    reports: bool,
}

impl Observer for Side<'_> {
    fn progress(&self, done: u64, total: u64) {
        if self.reports {
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

    /// Runs until it is stopped.
    fn forever(ticker: &mut Ticker<'_>) -> Result<Option<u32>, Error> {
        loop {
            ticker.check()?;
            std::thread::yield_now();
        }
    }

    fn race(
        one: impl FnOnce(&mut Ticker<'_>) -> Result<Option<u32>, Error> + Send,
        many: impl FnOnce(&mut Ticker<'_>) -> Result<Option<u32>, Error> + Send,
        observer: &dyn Observer,
    ) -> Result<Option<u32>, Error> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build();
        let pool = pool.expect("two threads can be started");
        pool.install(|| first_of(one, many, &Ticker::new(observer, 1)))
    }

    #[test]
    fn the_first_result_counts_and_the_other_search_is_stopped() {
        let found = race(|_| Ok(Some(1)), forever, &Silent);
        assert!(matches!(found, Ok(Some(1))));
        let found = race(forever, |_| Ok(Some(2)), &Silent);
        assert!(matches!(found, Ok(Some(2))));
    }

    #[test]
    fn a_search_that_gives_up_or_fails_leaves_the_result_to_the_other_one() {
        let gives_up = |_: &mut Ticker<'_>| Ok(None);
        let fails = |_: &mut Ticker<'_>| Err(Error::Cancelled);
        let finds = |_: &mut Ticker<'_>| Ok(Some(1));
        assert!(matches!(race(finds, gives_up, &Silent), Ok(Some(1))));
        assert!(matches!(race(gives_up, finds, &Silent), Ok(Some(1))));
        assert!(matches!(race(finds, fails, &Silent), Ok(Some(1))));
        assert!(matches!(race(gives_up, gives_up, &Silent), Ok(None)));
        assert!(race(gives_up, fails, &Silent).is_err());
    }

    #[test]
    fn both_searches_are_cancelled_by_the_observer() {
        struct Impatient;
        impl Observer for Impatient {
            fn is_cancelled(&self) -> bool {
                true
            }
        }
        let found = race(forever, forever, &Impatient);
        assert!(matches!(found, Err(Error::Cancelled)));
    }
}
