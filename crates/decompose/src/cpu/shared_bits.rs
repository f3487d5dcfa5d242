//! [`SharedBits`]: a set of states that threads look into and add to at once.
//!
//! It only grows while it is shared, and whoever adds to it needs nothing but that the state is in it in the
//! end: hence relaxed atomics.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

#[derive(Debug)]
pub(super) struct SharedBits {
    words: Vec<AtomicU64>,
    len: usize,
}

impl SharedBits {
    /// The empty set of states below `len`.
    pub(super) fn new(len: usize) -> Self {
        let mut words = Vec::new();
        words.resize_with(len.div_ceil(64), || AtomicU64::new(0));
        Self { words, len }
    }

    pub(super) fn num_words(&self) -> usize {
        self.words.len()
    }

    /// The bound: states are below it.
    pub(super) fn bound(&self) -> usize {
        self.len
    }

    /// The number of states in the set.
    pub(super) fn len(&self) -> usize {
        (0..self.num_words())
            .map(|i| self.word(i).count_ones() as usize)
            .sum()
    }

    #[inline]
    pub(super) fn contains(&self, state: u32) -> bool {
        self.word(state as usize / 64) >> (state % 64) & 1 == 1
    }

    /// Adds a state. Says whether it was new, to one thread of those that add it.
    #[inline]
    pub(super) fn insert(&self, state: u32) -> bool {
        // Most are there already, and a look is cheaper than an exclusive hold of the word.
        if self.contains(state) {
            return false;
        }
        let bit = 1 << (state % 64);
        self.words[state as usize / 64].fetch_or(bit, Relaxed) & bit == 0
    }

    /// The states `64 * i` up to `64 * i + 63`, as bits.
    #[inline]
    pub(super) fn word(&self, i: usize) -> u64 {
        self.words[i].load(Relaxed)
    }

    #[inline]
    pub(super) fn insert_word(&self, i: usize, bits: u64) {
        self.words[i].fetch_or(bits, Relaxed);
    }

    /// The states of a word that are not in the set.
    #[inline]
    pub(super) fn absent(&self, i: usize) -> u64 {
        let states = self.len - 64 * i;
        let all = if states < 64 { (1 << states) - 1 } else { !0 };
        all & !self.word(i)
    }

    pub(super) fn remove(&mut self, state: u32) {
        *self.words[state as usize / 64].get_mut() &= !(1 << (state % 64));
    }

    /// Adds all states of a set of the same length.
    pub(super) fn insert_all(&mut self, other: &Self) {
        for (word, other) in self.words.iter_mut().zip(&other.words) {
            *word.get_mut() |= other.load(Relaxed);
        }
    }

    /// All states, the last first.
    pub(super) fn descending(&self) -> impl Iterator<Item = u32> {
        let words = (0..self.words.len()).rev();
        words.flat_map(|i| descending(i, self.word(i)))
    }
}

/// The states of a word's bits, the first first.
#[inline]
pub(super) fn ascending(word: usize, mut bits: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let bit = (bits != 0).then(|| bits.trailing_zeros())?;
        bits &= bits - 1;
        Some(64 * word as u32 + bit)
    })
}

/// The states of a word's bits, the last first.
#[inline]
pub(super) fn descending(word: usize, mut bits: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let bit = (bits != 0).then(|| 63 - bits.leading_zeros())?;
        bits ^= 1 << bit;
        Some(64 * word as u32 + bit)
    })
}
