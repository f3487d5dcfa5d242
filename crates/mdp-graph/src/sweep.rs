//! Sweeps: all threads go through the states, 64 at a time, in about the order of their numbers.
//!
//! A sweep sees what it found at earlier states, so one sweep follows a path as far as its steps go
//! in the direction of the sweep. Memory is read in order. Only one bit per state is looked up in
//! random order; these bits stay in a cache, where a depth-first search would wait for memory.
//!
//! When a sweep finds a state depends on the threads. Results that are made from sweeps must not
//! depend on that.

use crate::on_threads;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// At most this many words are handed to a thread at a time.
const BLOCK: usize = 64;

/// In which direction a sweep goes through the words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From the first to the last.
    Ascending,
    /// From the last to the first.
    Descending,
}

impl Direction {
    /// Returns the other direction.
    pub fn reversed(self) -> Self {
        match self {
            Self::Ascending => Self::Descending,
            Self::Descending => Self::Ascending,
        }
    }
}

/// Calls `visit` with every word below `words`, on all threads of the current rayon pool, and
/// returns the sum of the results. Threads take neighbouring blocks, so that they are at about the
/// same place. `is_cancelled` is called before each block; once it returns true, no more blocks are
/// begun.
pub fn sweep(
    words: usize,
    direction: Direction,
    is_cancelled: impl Fn() -> bool + Sync,
    visit: impl Fn(usize) -> usize + Sync,
) -> usize {
    let block = (words / (16 * rayon::current_num_threads())).clamp(1, BLOCK);
    let blocks = Blocks::new(words, block);
    let sums = on_threads(rayon::current_num_threads(), |_| {
        let mut sum = 0;
        while !is_cancelled()
            && let Some(block) = blocks.next()
        {
            sum += match direction {
                Direction::Ascending => block.map(&visit).sum::<usize>(),
                Direction::Descending => block.map(|word| visit(words - 1 - word)).sum(),
            };
        }
        sum
    });
    sums.into_iter().sum()
}

/// Calls `visit` with every word below `words`, in ascending order, and with a value that belongs
/// to the thread and is first made by `start`. Returns the values of all threads. Once
/// `is_cancelled` returns true, no more blocks are begun.
pub fn collect<T: Send>(
    words: usize,
    is_cancelled: impl Fn() -> bool + Sync,
    start: impl Fn() -> T + Sync,
    visit: impl Fn(usize, &mut T) + Sync,
) -> Vec<T> {
    let blocks = Blocks::new(words, BLOCK);
    on_threads(rayon::current_num_threads(), |_| {
        let mut gathered = start();
        while !is_cancelled()
            && let Some(block) = blocks.next()
        {
            for word in block {
                visit(word, &mut gathered);
            }
        }
        gathered
    })
}

/// Words, handed out in blocks.
struct Blocks {
    words: usize,
    block: usize,
    next: AtomicUsize,
}

impl Blocks {
    fn new(words: usize, block: usize) -> Self {
        Self {
            words,
            block,
            next: AtomicUsize::new(0),
        }
    }

    fn next(&self) -> Option<Range<usize>> {
        let start = self.next.fetch_add(self.block, Relaxed);
        (start < self.words).then(|| start..self.words.min(start + self.block))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    #[test]
    fn each_word_is_visited_once_in_order() {
        let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        for (threads, words) in [
            (1, 0),
            (1, 1),
            (1, 1000),
            (3, 0),
            (3, 1),
            (3, 1000),
            (3, 5000),
        ] {
            for direction in [Direction::Ascending, Direction::Descending] {
                let visited = Mutex::new(Vec::new());
                let sum = pool(threads).expect("threads start").install(|| {
                    sweep(
                        words,
                        direction,
                        || false,
                        |word| {
                            visited.lock().expect("no visit panics").push(word);
                            word
                        },
                    )
                });
                assert_eq!(sum, (0..words).sum());
                let mut visited = visited.into_inner().expect("no visit panics");
                if threads == 1 && direction == Direction::Descending {
                    visited.reverse();
                } else if threads > 1 {
                    visited.sort_unstable();
                }
                assert!(
                    visited.into_iter().eq(0..words),
                    "{threads} {words} {direction:?}"
                );
            }
            let parts = pool(threads)
                .expect("threads start")
                .install(|| collect(words, || false, Vec::new, |word, own| own.push(word)));
            assert!(parts.iter().all(|part| part.is_sorted()));
            let mut all = parts.concat();
            all.sort_unstable();
            assert!(all.into_iter().eq(0..words));
        }
    }

    #[test]
    fn a_sweep_that_is_cancelled_begins_no_block() {
        assert_eq!(sweep(100, Direction::Ascending, || true, |_| 1), 0);
        let parts = collect(100, || true, || 0, |_, count| *count += 1);
        assert_eq!(parts.into_iter().sum::<usize>(), 0);
    }
}
