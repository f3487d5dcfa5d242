//! Tests that the hash spreads packed states evenly, although these are far from random.

use super::{States, fingerprint};
use mdp_graph::StateId;
use proptest::prelude::*;
use std::collections::BTreeSet;

/// Returns the size of the largest of 256 parts into which 8 bits of the fingerprints divide
/// `states`.
fn fullest(states: &[Vec<u64>], shift: u32) -> usize {
    let mut parts = [0; 256];
    for state in states {
        parts[(fingerprint(state) >> shift) as usize & 255] += 1;
    }
    parts.into_iter().max().unwrap_or(0)
}

#[test]
fn packed_states_are_spread() {
    let count = 1 << 16;
    let low: Vec<Vec<u64>> = (0..count).map(|i| vec![i]).collect();
    let high = (0..count).map(|i| vec![i << 48]).collect();
    let sparse = (0..count)
        .map(|i| vec![(0..16).map(|bit| (i >> bit & 1) << (bit * 4)).sum()])
        .collect();
    let halves = (0..count)
        .map(|i| vec![(i & 255) << 56 | (i >> 8) << 24])
        .collect();
    let second = (0..count).map(|i| vec![5, i << 20]).collect();
    let both = (0..count).map(|i| vec![i & 255, i >> 8, 0]).collect();
    for (name, states) in [
        ("low bits", low),
        ("high bits", high),
        ("every fourth bit", sparse),
        ("the tops of both halves", halves),
        ("second word", second),
        ("two words", both),
    ] {
        // These are bits that determine the place of a fingerprint, and its last bits.
        for shift in [24, 12, 0] {
            let fullest = fullest(&states, shift);
            // The expected number is 256, with a standard deviation of 16.
            assert!(fullest < 256 + 6 * 16, "{name}: {fullest} at {shift}");
        }
        let fingerprints = states.iter().map(|state| fingerprint(state));
        let different = fingerprints.collect::<BTreeSet<u32>>().len();
        // Among 2^16 random numbers of 32 bits, the expected number of equal pairs is a half.
        assert!(different + 4 > states.len(), "{name}: {different}");
    }
}

proptest! {
    #[test]
    fn narrow_states_have_different_fingerprints(
        states in prop::collection::btree_set(any::<u32>(), 0..2000),
    ) {
        let fingerprints = states.iter().map(|&state| fingerprint(&[state.into()]));
        let different: BTreeSet<u32> = fingerprints.collect();
        prop_assert_eq!(different.len(), states.len());
    }
}

#[test]
fn neighbours_have_different_fingerprints() {
    let mut fingerprints: Vec<u32> = (0..1 << 22).map(|state| fingerprint(&[state])).collect();
    fingerprints.sort_unstable();
    fingerprints.dedup();
    assert_eq!(fingerprints.len(), 1 << 22);
}

#[test]
fn states_are_found_by_number() {
    let mut states = States::new(3);
    assert!(states.is_empty());
    states.extend(&[1, 2, 3, 4, 5, 6]);
    assert_eq!(states.len(), 2);
    assert_eq!(states.get(StateId(1)), [4, 5, 6]);
    assert_eq!(states.words(), 3);
}
