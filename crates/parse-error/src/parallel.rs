//! Reads chunks of a text in parallel, until one has a fault.

use rayon::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Reads the chunks of a text on the current rayon thread pool, and returns the results in order.
/// `read` is called with the index of the chunk, from 0.
///
/// The earliest fault is the one that is reported, so results of chunks after a faulty one may be
/// missing. Before the first faulty one, none is missing.
///
/// ```
/// let read = |_: usize, chunk: &str| chunk.parse::<u32>();
/// let numbers = parse_error::read_chunks(vec!["1", "2", "x", "4"], read, |read| read.is_err());
/// assert_eq!(numbers[..2], [Ok(1), Ok(2)]);
/// assert!(numbers[2].is_err());
/// ```
pub fn read_chunks<C: Send, T: Send>(
    chunks: Vec<C>,
    read: impl Fn(usize, C) -> T + Sync,
    is_faulty: impl Fn(&T) -> bool + Sync,
) -> Vec<T> {
    let first_faulty = AtomicUsize::new(usize::MAX);
    let read_one = |(number, chunk)| {
        if number > first_faulty.load(Ordering::Relaxed) {
            return None;
        }
        let result = read(number, chunk);
        if is_faulty(&result) {
            first_faulty.fetch_min(number, Ordering::Relaxed);
        }
        Some(result)
    };
    let results: Vec<_> = chunks.into_par_iter().enumerate().map(read_one).collect();
    results.into_iter().flatten().collect()
}

/// The number of chunks for each thread that are read at the same time, before their results are
/// passed on.
const CHUNKS_EACH: usize = 2;

/// Reads the chunks of a text as [`read_chunks`] does, and passes the results on in order, up to
/// the first error of `pass`. While some results are passed on, the next chunks are read, and no
/// others are in memory.
///
/// ```
/// let read = |chunk: &str| chunk.parse::<u32>();
/// let mut sum = 0;
/// let add = |number: Result<u32, _>| number.map(|number| sum += number);
/// let read = parse_error::read_in_order(vec!["1", "2", "x", "4"], read, Result::is_err, add);
/// assert!(read.is_err());
/// assert_eq!(sum, 3);
/// ```
///
/// # Errors
/// The first error of `pass`, which must return one for a faulty result.
pub fn read_in_order<C: Send, T: Send, E: Send>(
    chunks: Vec<C>,
    read: impl Fn(C) -> T + Sync,
    is_faulty: impl Fn(&T) -> bool + Sync,
    mut pass: impl FnMut(T) -> Result<(), E> + Send,
) -> Result<(), E> {
    let at_once = CHUNKS_EACH * rayon::current_num_threads();
    let mut chunks = chunks.into_iter();
    let mut results = Vec::new();
    loop {
        let next: Vec<C> = chunks.by_ref().take(at_once).collect();
        let is_last = next.is_empty();
        // After a fault, nothing more is needed.
        let next = match results.iter().any(&is_faulty) {
            true => Vec::new(),
            false => next,
        };
        let pass_all = || results.into_iter().try_for_each(&mut pass);
        let read_all = || read_chunks(next, |_, chunk| read(chunk), &is_faulty);
        let (passed, read) = rayon::join(pass_all, read_all);
        passed?;
        if is_last {
            return Ok(());
        }
        results = read;
    }
}

#[cfg(test)]
mod tests {
    use super::read_in_order;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn results_are_passed_on_in_order_up_to_the_first_error() {
        for (count, faulty) in [(0, 9), (1, 9), (100, 999), (100, 0), (100, 57), (100, 99)] {
            let being_read = AtomicUsize::new(0);
            let read = |number: usize| {
                being_read.fetch_add(1, Ordering::Relaxed);
                (number != faulty).then_some(number).ok_or(number)
            };
            let mut passed = Vec::new();
            let outcome = read_in_order((0..count).collect(), read, Result::is_err, |result| {
                passed.push(result?);
                Ok(())
            });
            assert_eq!(outcome, if faulty < count { Err(faulty) } else { Ok(()) });
            assert_eq!(passed, (0..count.min(faulty)).collect::<Vec<_>>());
            assert!(being_read.into_inner() <= count);
        }
    }
}
