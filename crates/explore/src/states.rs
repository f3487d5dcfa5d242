//! Packed states in the order of their numbers, and their hash, the fingerprint.

use crate::buffer::growth;
use mdp_graph::StateId;

/// The packed states that were found, by number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct States {
    /// The number of words of a state.
    words: usize,
    /// The states, one after another.
    packed: Vec<u64>,
}

impl States {
    pub(crate) fn new(words: usize) -> Self {
        Self::from_packed(words, Vec::new())
    }

    /// Makes a list of states that were found by other means. `packed` has one state after another,
    /// each with this many words.
    ///
    /// # Panics
    /// Panics if `words` is 0, or if the length of `packed` is not a multiple of it.
    pub fn from_packed(words: usize, packed: Vec<u64>) -> Self {
        assert!(words > 0, "a packed state has at least one word");
        assert!(packed.len().is_multiple_of(words), "whole states");
        Self { words, packed }
    }

    /// Returns the number of states.
    pub fn len(&self) -> usize {
        self.packed.len() / self.words
    }

    /// Returns whether there are no states.
    pub fn is_empty(&self) -> bool {
        self.packed.is_empty()
    }

    /// Returns the number of words of a state.
    pub fn words(&self) -> usize {
        self.words
    }

    /// Returns the packed state with this number.
    #[inline]
    pub fn get(&self, state: StateId) -> &[u64] {
        &self.packed[state.index() * self.words..][..self.words]
    }

    /// Returns all states in order, each of [`words`](Self::words) words.
    pub fn packed(&self) -> &[u64] {
        &self.packed
    }

    /// Returns the memory that is needed when this many words are added, in bytes.
    pub(crate) fn growth(&self, words: usize) -> usize {
        growth(&self.packed, self.packed.len() + words)
    }

    pub(crate) fn extend(&mut self, packed: &[u64]) {
        debug_assert!(packed.len().is_multiple_of(self.words));
        self.packed.extend_from_slice(packed);
    }

    pub(crate) fn shrink_to_fit(&mut self) {
        self.packed.shrink_to_fit();
    }
}

/// The states that are known while a batch is looked up.
#[derive(Clone, Copy)]
pub(crate) struct Known<'a, W> {
    pub(crate) width: W,
    /// The number of known states.
    pub(crate) len: u32,
    packed: &'a [u64],
}

impl<'a, W: Width> Known<'a, W> {
    pub(crate) fn new(width: W, states: &'a States) -> Self {
        debug_assert_eq!(width.words(), states.words);
        Self {
            width,
            len: states.len() as u32,
            packed: &states.packed,
        }
    }

    /// Returns the first word of the state with this number, or anything if there is none.
    #[inline(always)]
    pub(crate) fn first_word(self, number: u32) -> u64 {
        let first = number as usize * self.width.words();
        self.packed.get(first).copied().unwrap_or(0)
    }

    /// Returns the packed state with this number.
    #[inline(always)]
    pub(crate) fn get(self, number: u32) -> &'a [u64] {
        let words = self.width.words();
        &self.packed[number as usize * words..][..words]
    }
}

/// The number of words of a state, as a type, so that the compiler may know it.
pub(crate) trait Width: Copy + Send + Sync {
    /// Returns the number of words.
    fn words(self) -> usize;
}

/// A number of words that the compiler knows.
#[derive(Clone, Copy)]
pub(crate) struct Fixed<const WORDS: usize>;

impl<const WORDS: usize> Width for Fixed<WORDS> {
    #[inline(always)]
    fn words(self) -> usize {
        WORDS
    }
}

/// Any number of words.
#[derive(Clone, Copy)]
pub(crate) struct Any(pub(crate) usize);

impl Width for Any {
    #[inline(always)]
    fn words(self) -> usize {
        self.0
    }
}

/// Returns the hash of a packed state. States of one word below 2^32, as in many models, all have
/// different hashes.
#[inline(always)]
pub(crate) fn fingerprint(state: &[u64]) -> u32 {
    match *state {
        // Mixes the high half into the low half. If the high half is 0, the low half does not
        // change.
        [word] => scatter(word as u32 ^ ((word >> 32).wrapping_mul(FACTOR) >> 32) as u32),
        _ => {
            let mixed = state
                .iter()
                .fold(START, |hash, &word| fold(hash ^ word, FACTOR));
            fold(mixed, LAST) as u32
        }
    }
}

// Digits of pi, odd.
const START: u64 = 0x243f_6a88_85a3_08d3;
const FACTOR: u64 = 0xa409_3822_299f_31d1;
const LAST: u64 = 0x082e_fa98_ec4e_6c89;

/// Combines the halves of the 128-bit product of two words. Packed states may differ in few bits,
/// anywhere in a word, so both halves are used.
#[inline(always)]
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

/// Returns a permutation of the 32-bit numbers in which each bit of the result depends on all bits.
/// It is a permutation because each step is invertible.
#[inline(always)]
fn scatter(mut x: u32) -> u32 {
    x = (x ^ (x >> 16)).wrapping_mul(0x7feb_352d);
    x = (x ^ (x >> 15)).wrapping_mul(0x846c_a68b);
    x ^ (x >> 16)
}

#[cfg(test)]
mod tests;
