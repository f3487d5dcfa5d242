//! Sweeps: all threads go through the states, 64 at a time, in about the order of their numbers.
//!
//! What one word of states adds to a set is seen at once by the words after it, so that one sweep
//! goes as far as there are steps in its direction. Memory is read in order; what is looked up at
//! random is a bit a state, which stays in a cache where a depth-first search waits for memory.

use super::ticker::Ticker;
use crate::Error;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// At most so many words are handed to a thread at a time.
const BLOCK: usize = 64;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    Ascending,
    Descending,
}

/// Calls `visit` with every word below `words`, and returns the sum of what it returns. Threads
/// take neighbouring blocks, so that they are at about the same place.
pub(super) fn sweep(
    words: usize,
    order: Order,
    ticker: &Ticker<'_>,
    visit: impl Fn(usize) -> usize + Sync,
) -> Result<usize, Error> {
    let threads = rayon::current_num_threads();
    let block = (words / (16 * threads)).clamp(1, BLOCK);
    let blocks = words.div_ceil(block);
    let (next, sum) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let work = || {
        let mut own = 0;
        loop {
            let i = next.fetch_add(1, Relaxed);
            if i >= blocks || ticker.is_cancelled() {
                break;
            }
            let range = |i: usize| i * block..((i + 1) * block).min(words);
            own += match order {
                Order::Ascending => range(i).map(&visit).sum::<usize>(),
                Order::Descending => range(blocks - 1 - i).rev().map(&visit).sum(),
            };
        }
        sum.fetch_add(own, Relaxed);
    };
    if threads == 1 {
        work();
    } else {
        rayon::broadcast(|_| work());
    }
    ticker.check()?;
    Ok(sum.into_inner())
}
