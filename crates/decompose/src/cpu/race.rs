//! [`first_of`]: two searches of one graph at the same time, of which the first result counts.
//!
//! Which of two searches is faster often depends on properties of the graph that no sample shows.
//! A search by one thread takes only one of many threads, so it may run beside the others. Then
//! many threads never take much longer than one.

use super::ticker::Ticker;
use crate::{Error, Observer};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Searches by one thread and by many threads at the same time. Returns the result that is found
/// first; the other search is stopped. `many` may give up and return `None`. It reports progress,
/// and `one` does not.
pub(super) fn first_of<T: Send>(
    one: impl FnOnce(&mut Ticker<'_>) -> Result<T, Error> + Send,
    many: impl FnOnce(&mut Ticker<'_>) -> Result<Option<T>, Error> + Send,
    ticker: &Ticker<'_>,
) -> Result<T, Error> {
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
            end_if(found.is_ok());
            found
        },
        || {
            let found = many(&mut ticker.observed_by(&of_many, ticker.period()));
            end_if(matches!(found, Ok(Some(_))));
            found
        },
    );
    match many {
        Ok(Some(found)) => Ok(found),
        // The reason why `one` failed is no more than that `many` did, or the observer.
        _ => one,
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
    fn forever<T>(ticker: &mut Ticker<'_>) -> Result<T, Error> {
        loop {
            ticker.check()?;
            std::thread::yield_now();
        }
    }

    fn race<T: Send>(
        one: impl FnOnce(&mut Ticker<'_>) -> Result<T, Error> + Send,
        many: impl FnOnce(&mut Ticker<'_>) -> Result<Option<T>, Error> + Send,
        observer: &dyn Observer,
    ) -> Result<T, Error> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build();
        let pool = pool.expect("two threads can be started");
        pool.install(|| first_of(one, many, &Ticker::new(observer, 1)))
    }

    #[test]
    fn the_first_result_counts_and_the_other_search_is_stopped() {
        let found = race(|_| Ok(1), forever, &Silent);
        assert!(matches!(found, Ok(1)));
        let found = race(forever, |_| Ok(Some(2)), &Silent);
        assert!(matches!(found, Ok(2)));
    }

    #[test]
    fn a_search_that_gives_up_or_fails_leaves_the_result_to_the_other_one() {
        assert!(matches!(race(|_| Ok(1), |_| Ok(None), &Silent), Ok(1)));
        let failed = |_: &mut Ticker<'_>| Err(Error::Cancelled);
        assert!(matches!(race(|_| Ok(1), failed, &Silent), Ok(1)));
    }

    #[test]
    fn both_searches_are_cancelled_by_the_observer() {
        struct Impatient;
        impl Observer for Impatient {
            fn is_cancelled(&self) -> bool {
                true
            }
        }
        let found = race::<u32>(forever, forever, &Impatient);
        assert!(matches!(found, Err(Error::Cancelled)));
    }
}
