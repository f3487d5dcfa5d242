//! Random numbers that are the same on every machine.

use crate::generate::splitmix::{GAMMA, mix};

/// A stream of random numbers: SplitMix64.
pub(crate) struct Rng(u64);

impl Rng {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(GAMMA);
        mix(self.0)
    }

    /// Returns a number below `end`, or 0 if `end` is 0.
    pub(crate) fn below(&mut self, end: u32) -> u32 {
        (((self.next() >> 32) * u64::from(end)) >> 32) as u32
    }

    /// Returns a number from `first` to `last`.
    pub(crate) fn between(&mut self, first: u32, last: u32) -> u32 {
        first + self.below((last - first).saturating_add(1))
    }

    /// Returns true once in this many times, on average.
    pub(crate) fn one_in(&mut self, times: u32) -> bool {
        self.below(times) == 0
    }

    /// Returns a number from 0 to 1.
    pub(crate) fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Returns a number from `first` to `last`, in which each order of magnitude is equally likely.
    pub(crate) fn magnitude(&mut self, first: u32, last: u32) -> u32 {
        let (low, high) = (f64::from(first.max(1)).ln(), f64::from(last.max(1)).ln());
        let drawn = (low + (high - low) * self.unit()).exp().round();
        (drawn as u32).clamp(first, last)
    }

    /// Returns a random one of these values.
    pub(crate) fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len() as u32) as usize]
    }

    /// Returns the numbers below `n` in a random order.
    pub(crate) fn order(&mut self, n: u32) -> Vec<u32> {
        let mut order: Vec<u32> = (0..n).collect();
        for i in (1..n).rev() {
            order.swap(i as usize, self.between(0, i) as usize);
        }
        order
    }
}
