//! Random numbers and permutations that depend on a seed only.

use super::splitmix::{self, GAMMA};

/// A seed. It has no state: the same arguments give the same numbers.
#[derive(Clone, Copy)]
pub(super) struct Seed(pub(super) u32);

impl Seed {
    /// Returns a number each of whose bits depends on both arguments and on the seed.
    pub(super) fn mix(self, state: u32, salt: u32) -> u32 {
        let seed = u64::from(self.0).wrapping_mul(0xD1B5_4A32_D192_ED03);
        let z = (u64::from(salt) << 32 | u64::from(state)) ^ seed;
        splitmix::mix(z.wrapping_mul(GAMMA)) as u32
    }

    /// Returns true with this probability.
    pub(super) fn happens(self, state: u32, salt: u32, probability: f64) -> bool {
        f64::from(self.mix(state, salt)) < probability * f64::from(u32::MAX)
    }
}

/// A random permutation of `0..n` and its inverse: a Feistel network over the next power of four,
/// applied until the result is below `n` (Black and Rogaway, "Ciphers with arbitrary finite
/// domains", 2002).
pub(super) struct Shuffle {
    n: u32,
    half: u32,
    seed: Seed,
}

/// The number of rounds of the network.
const ROUNDS: u32 = 6;

impl Shuffle {
    pub(super) fn new(n: u32, seed: Seed) -> Self {
        let bits = u32::BITS - n.saturating_sub(1).leading_zeros();
        Self {
            n,
            half: bits.div_ceil(2).max(1),
            seed,
        }
    }

    /// Returns the image of `i`.
    pub(super) fn forth(&self, i: u32) -> u32 {
        self.walk(i, |i| self.network(i, 0..ROUNDS))
    }

    /// Returns the preimage of `i`.
    pub(super) fn back(&self, i: u32) -> u32 {
        self.walk(i, |i| {
            let swapped = self.swap(i);
            self.swap(self.network(swapped, (0..ROUNDS).rev()))
        })
    }

    fn walk(&self, i: u32, step: impl Fn(u64) -> u64) -> u32 {
        let mut i = u64::from(i);
        loop {
            i = step(i);
            if i < u64::from(self.n) {
                return i as u32;
            }
        }
    }

    fn swap(&self, i: u64) -> u64 {
        let mask = (1 << self.half) - 1;
        (i & mask) << self.half | i >> self.half
    }

    fn network(&self, i: u64, rounds: impl Iterator<Item = u32>) -> u64 {
        let mask = (1u64 << self.half) - 1;
        let (mut left, mut right) = (i >> self.half, i & mask);
        for round in rounds {
            let mixed = u64::from(self.seed.mix(right as u32, 0x5EED + round)) & mask;
            (left, right) = (right, left ^ mixed);
        }
        left << self.half | right
    }
}
