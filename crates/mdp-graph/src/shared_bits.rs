//! [`SharedBits`]: a set of states that several threads read and extend at the same time.

use crate::BitSet;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};

/// A set of states below a fixed bound, which only grows while it is shared. A thread that sees
/// that a state is in it also sees what was written before the state was added.
#[derive(Debug)]
pub struct SharedBits {
    words: Vec<AtomicU64>,
    len: usize,
}

impl Clone for SharedBits {
    fn clone(&self) -> Self {
        let words = self.words.iter().map(|word| word.load(Acquire).into());
        Self {
            words: words.collect(),
            len: self.len,
        }
    }
}

impl From<BitSet> for SharedBits {
    fn from(set: BitSet) -> Self {
        let words = set.words().iter().copied().map(AtomicU64::new);
        Self {
            words: words.collect(),
            len: set.bound(),
        }
    }
}

impl From<SharedBits> for BitSet {
    fn from(set: SharedBits) -> Self {
        let words = set.words.into_iter().map(AtomicU64::into_inner);
        Self::from_words(words.collect(), set.len)
    }
}

impl SharedBits {
    /// Returns the empty set of states below `len`.
    pub fn new(len: usize) -> Self {
        let mut words = Vec::new();
        words.resize_with(len.div_ceil(64), || AtomicU64::new(0));
        Self { words, len }
    }

    /// Returns the number of words, of 64 states each.
    pub fn num_words(&self) -> usize {
        self.words.len()
    }

    /// Returns the bound: states are below it.
    pub fn bound(&self) -> usize {
        self.len
    }

    /// Returns the number of states in the set.
    pub fn len(&self) -> usize {
        (0..self.num_words())
            .map(|i| self.word(i).count_ones() as usize)
            .sum()
    }

    /// Returns whether no state is in the set.
    pub fn is_empty(&self) -> bool {
        (0..self.num_words()).all(|i| self.word(i) == 0)
    }

    /// Returns whether a state is in the set.
    #[inline]
    pub fn contains(&self, state: u32) -> bool {
        self.word(state as usize / 64) >> (state % 64) & 1 == 1
    }

    /// Adds a state. Returns whether it was new; of several threads that add the same state, only
    /// one is told so.
    #[inline]
    pub fn insert(&self, state: u32) -> bool {
        // Most states are in the set already, and reading a word is cheaper than getting exclusive
        // access to it.
        if self.contains(state) {
            return false;
        }
        let bit = 1 << (state % 64);
        self.words[state as usize / 64].fetch_or(bit, AcqRel) & bit == 0
    }

    /// Returns the states `64 * i` up to `64 * i + 63`, as bits.
    #[inline]
    pub fn word(&self, i: usize) -> u64 {
        self.words[i].load(Acquire)
    }

    /// Adds those of the states `64 * i` up to `64 * i + 63` that are given as bits.
    #[inline]
    pub fn insert_word(&self, i: usize, bits: u64) {
        self.words[i].fetch_or(bits, Release);
    }

    /// Adds a state. No other thread may add a state of the same word at the same time, because a
    /// state may then be lost.
    #[inline]
    pub fn insert_alone(&self, state: u32) {
        let word = &self.words[state as usize / 64];
        word.store(word.load(Relaxed) | 1 << (state % 64), Release);
    }

    /// Returns the states of a word that are not in the set.
    #[inline]
    pub fn absent(&self, i: usize) -> u64 {
        let states = self.len - 64 * i;
        let all = if states < 64 { (1 << states) - 1 } else { !0 };
        all & !self.word(i)
    }

    /// Removes a state.
    pub fn remove(&mut self, state: u32) {
        *self.words[state as usize / 64].get_mut() &= !(1 << (state % 64));
    }

    /// Adds all states of a set of the same length.
    pub fn insert_all(&mut self, other: &Self) {
        for (word, other) in self.words.iter_mut().zip(&other.words) {
            *word.get_mut() |= other.load(Relaxed);
        }
    }

    /// Removes all states of a set of the same length.
    pub fn remove_all(&mut self, other: &Self) {
        for (word, other) in self.words.iter_mut().zip(&other.words) {
            *word.get_mut() &= !other.load(Relaxed);
        }
    }

    /// Returns all states, in descending order.
    pub fn descending(&self) -> impl Iterator<Item = u32> {
        let words = (0..self.words.len()).rev();
        words.flat_map(|i| descending(i, self.word(i)))
    }
}

/// Returns the states of the bits of a word, in ascending order.
#[inline]
pub fn ascending(word: usize, mut bits: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let bit = (bits != 0).then(|| bits.trailing_zeros())?;
        bits &= bits - 1;
        Some(64 * word as u32 + bit)
    })
}

/// Returns the states of the bits of a word, in descending order.
#[inline]
pub fn descending(word: usize, mut bits: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let bit = (bits != 0).then(|| 63 - bits.leading_zeros())?;
        bits ^= 1 << bit;
        Some(64 * word as u32 + bit)
    })
}
