//! E4: no two numbers stand for the same packed state.
//!
//! The same states have the same hash. Two sets of hashes, with some bits for each state, exclude
//! most states: those whose hash no other state has. The others are sorted by hash and compared.

use super::PIECE;
use super::claim::ClaimedExploration;
use super::violation::ExplorationViolation as Violation;
use mdp_graph::{SharedBits, StateId};
use rayon::prelude::*;

/// The least number of bits of a set for each state. Of 16 states, at most two then have a hash
/// that another state has too.
const BITS_PER_STATE: usize = 8;

/// The maximal binary logarithm of the size of a set in bits.
const MAX_LOG_BITS: u32 = 32;

impl ClaimedExploration<'_> {
    /// Checks E4.
    pub(super) fn check_distinct(&self) -> Result<(), Violation> {
        let mut candidates = self.states_with_shared_hash();
        candidates.par_sort_unstable();
        let same = |a: &u64, b: &u64| a >> 32 == b >> 32;
        let repeated = |run: &[u64]| self.first_repetition(run);
        match candidates.par_chunk_by(same).filter_map(repeated).min() {
            None => Ok(()),
            Some((state, first)) => Err(Violation::Twice { state, first }),
        }
    }

    /// Returns the states whose hash, reduced to the size of a set, is that of another state.
    /// Each is a hash of 32 bits followed by the number of the state.
    fn states_with_shared_hash(&self) -> Vec<u64> {
        let bits = (BITS_PER_STATE * self.num_states()).next_power_of_two();
        let log_bits = bits.trailing_zeros().min(MAX_LOG_BITS);
        let place = |hash: u64| (hash >> (64 - log_bits)) as u32;
        let (met, shared) = (
            SharedBits::new(1 << log_bits),
            SharedBits::new(1 << log_bits),
        );
        self.pieces(PIECE).for_each(|piece| {
            for state in piece.map(StateId) {
                let place = place(hash(self.key(state)));
                if !met.insert(place) {
                    shared.insert(place);
                }
            }
        });
        let candidates = self.pieces(PIECE).flat_map_iter(|piece| {
            piece.filter_map(|state| {
                let hash = hash(self.key(StateId(state)));
                let candidate = hash >> 32 << 32 | u64::from(state);
                shared.contains(place(hash)).then_some(candidate)
            })
        });
        candidates.collect()
    }

    /// Returns the least state of `run` that is the same as one with a smaller number, and that
    /// number. All states of `run` have the same hash.
    fn first_repetition(&self, run: &[u64]) -> Option<(StateId, StateId)> {
        if run.len() == 1 {
            return None;
        }
        let mut states: Vec<StateId> = run.iter().map(|&hashed| StateId(hashed as u32)).collect();
        states.sort_by_key(|&state| self.key(state));
        let pairs = states.windows(2).map(|pair| (pair[1], pair[0]));
        let equal = |pair: &(StateId, StateId)| self.key(pair.0) == self.key(pair.1);
        pairs.filter(equal).min()
    }
}

/// Hashes a packed state. Different states may have the same hash, which only takes time.
fn hash(key: &[u64]) -> u64 {
    let mix = |hash: u64, &word: &u64| {
        let mixed = (hash ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        mixed ^ mixed >> 32
    };
    key.iter().fold(0, mix).wrapping_mul(0xd6e8_feb8_6659_fd93)
}
