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
