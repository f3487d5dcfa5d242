//! A fixed-size set of small numbers, one bit each.

use rayon::prelude::*;
use std::ops::Range;

/// A set of numbers below a fixed bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BitSet {
    words: Vec<u64>,
    len: usize,
}

impl BitSet {
    /// Returns the empty subset of `0..len`.
    pub fn new(len: usize) -> Self {
        Self {
            words: vec![0; len.div_ceil(64)],
            len,
        }
    }

    /// Returns the members of `0..len` that these words have: 64 numbers to a word, the first in
    /// the lowest bit.
    pub(crate) fn from_words(words: Vec<u64>, len: usize) -> Self {
        debug_assert_eq!(words.len(), len.div_ceil(64));
        Self { words, len }
    }

    /// Returns the members of `0..len` that satisfy `is_in`; on all threads of the current rayon
    /// pool.
    pub fn from_fn(len: usize, is_in: impl Fn(usize) -> bool + Sync) -> Self {
        let word = |first: usize| {
            let members = (first..len.min(first + 64)).filter(|&i| is_in(i));
            members.fold(0, |word, i| word | 1 << (i % 64))
        };
        let words = (0..len).into_par_iter().step_by(64).map(word).collect();
        Self { words, len }
    }

    /// Returns the set of `members`, which ascend and are below `len`; on all threads of the
    /// current rayon pool.
    pub fn of_ascending(len: usize, members: &[u32]) -> Self {
        const PIECE: usize = 1 << 10;
        let mut words = vec![0; len.div_ceil(64)];
        let pieces = words.par_chunks_mut(PIECE).enumerate();
        pieces.for_each(|(i, words)| {
            let first = 64 * PIECE * i;
            let start = members.partition_point(|&member| (member as usize) < first);
            let end = 64 * words.len();
            let places = members[start..]
                .iter()
                .map(|&member| member as usize - first);
            for place in places.take_while(|&place| place < end) {
                words[place / 64] |= 1u64 << (place % 64);
            }
        });
        Self { words, len }
    }

    /// Returns the members, 64 numbers to a word, the first in the lowest bit.
    #[inline]
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// Returns the bound: members are below it.
    pub fn bound(&self) -> usize {
        self.len
    }

    /// Returns whether `i` is a member.
    #[inline]
    pub fn contains(&self, i: usize) -> bool {
        debug_assert!(i < self.len);
        self.words[i / 64] >> (i % 64) & 1 == 1
    }

    /// Adds `i`. Returns whether it was new.
    #[inline]
    pub fn insert(&mut self, i: usize) -> bool {
        debug_assert!(i < self.len);
        let word = &mut self.words[i / 64];
        let bit = 1 << (i % 64);
        let new = *word & bit == 0;
        *word |= bit;
        new
    }

    /// Removes `i`, if it is a member.
    #[inline]
    pub fn remove(&mut self, i: usize) {
        debug_assert!(i < self.len);
        self.words[i / 64] &= !(1 << (i % 64));
    }

    /// Adds `i` if `wanted` is true, without a branch on that.
    #[inline]
    pub fn insert_if(&mut self, i: usize, wanted: bool) {
        debug_assert!(i < self.len);
        self.words[i / 64] |= u64::from(wanted) << (i % 64);
    }

    /// Adds the numbers of a range, if none of them is a member. Returns whether they were added.
    pub fn insert_range(&mut self, range: Range<usize>) -> bool {
        debug_assert!(range.end <= self.len);
        let masks = |Range { start, end }: Range<usize>| {
            (start / 64..end.div_ceil(64)).map(move |word| {
                let below = |end: usize| match end.saturating_sub(64 * word) {
                    bits @ 0..64 => (1 << bits) - 1,
                    _ => !0u64,
                };
                (word, below(end) & !below(start))
            })
        };
        let are_new = masks(range.clone()).all(|(word, mask)| self.words[word] & mask == 0);
        if are_new {
            masks(range).for_each(|(word, mask)| self.words[word] |= mask);
        }
        are_new
    }

    /// Lowers the bound to `len`, if it is greater. There must be no members from `len` on.
    pub(crate) fn truncate(&mut self, len: usize) {
        self.len = len.min(self.len);
        self.words.truncate(self.len.div_ceil(64));
        let last = self
            .words
            .last()
            .map_or(0, |&last| last >> ((self.len - 1) % 64));
        debug_assert!(last <= 1, "there are no members from {len} on");
    }

    /// Returns the number of members.
    pub fn count(&self) -> usize {
        self.words.iter().map(|w| w.count_ones() as usize).sum()
    }
}
