//! Sweeps: all threads go through the states, 64 at a time, in about the order of their numbers.
//!
//! What is found at one state is seen at the next ones, so that one sweep goes as far as there are steps in its
//! direction. Memory is read in order; what is looked up at random is a bit a state, which stays in a cache where a
//! depth-first search waits for memory.
//!
//! What is found when depends on the threads: so may the certificate, but not whether there is one.

use std::sync::atomic::{AtomicU8, AtomicU32, AtomicUsize, Ordering::Relaxed};

/// At most so many words are handed to a thread at a time.
const BLOCK: usize = 64;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    Up,
    Down,
}

/// Calls `visit` with every word below `words`, the last first, and returns the sum of what it returns.
pub(super) fn sweep_alone(words: usize, visit: impl FnMut(usize) -> usize) -> usize {
    (0..words).rev().map(visit).sum()
}

/// Calls `visit` with every word below `words`, and returns the sum of what it returns. Threads take
/// neighbouring blocks, so that they are at about the same place.
pub(super) fn sweep(
    words: usize,
    direction: Direction,
    visit: impl Fn(usize) -> usize + Sync,
) -> usize {
    let block = (words / (16 * rayon::current_num_threads())).clamp(1, BLOCK);
    let next = AtomicUsize::new(0);
    let sums = rayon::broadcast(|_| {
        let mut sum = 0;
        loop {
            let start = next.fetch_add(block, Relaxed);
            if start >= words {
                return sum;
            }
            let mut block = start..words.min(start + block);
            sum += match direction {
                Direction::Up => block.map(&visit).sum::<usize>(),
                Direction::Down => {
                    let mirrored = |word: usize| words - 1 - word;
                    block.by_ref().map(mirrored).map(&visit).sum()
                }
            };
        }
    });
    sums.into_iter().sum()
}

/// A number of a state that threads share.
pub(super) trait Cell: Sync {
    fn get(&self) -> u32;
    /// Stores a number, which fits.
    fn set(&self, number: u32);
}

impl Cell for AtomicU8 {
    #[inline]
    fn get(&self) -> u32 {
        self.load(Relaxed).into()
    }

    #[inline]
    fn set(&self, number: u32) {
        self.store(number as u8, Relaxed);
    }
}

impl Cell for AtomicU32 {
    #[inline]
    fn get(&self) -> u32 {
        self.load(Relaxed)
    }

    #[inline]
    fn set(&self, number: u32) {
        self.store(number, Relaxed);
    }
}

/// Calls `visit` with every word below `words`, ascending, and what its thread has gathered, which begins with
/// `start`. Returns that of each thread.
pub(super) fn collect<T: Send>(
    words: usize,
    start: impl Fn() -> T + Sync,
    visit: impl Fn(usize, &mut T) + Sync,
) -> Vec<T> {
    let next = AtomicUsize::new(0);
    rayon::broadcast(|_| {
        let mut gathered = start();
        loop {
            let start = next.fetch_add(BLOCK, Relaxed);
            if start >= words {
                return gathered;
            }
            (start..words.min(start + BLOCK)).for_each(|word| visit(word, &mut gathered));
        }
    })
}
