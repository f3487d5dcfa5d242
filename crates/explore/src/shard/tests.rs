//! A shard against a map, batch after batch.

use super::Shard;
use crate::states::{Any, Fixed, Known, States, Width, fingerprint, hash};
use proptest::prelude::*;
use std::collections::HashMap;

/// Looks up batches of chunks of targets in a shard, and compares every number with a map's.
fn check<W: Width>(width: W, batches: &[Vec<Vec<u64>>]) -> Result<(), TestCaseError> {
    let words = width.words();
    let pack = |&target: &u64| {
        let mut packed = vec![0; words];
        packed[words - 1] = target;
        packed
    };
    let mut shard = Shard::new();
    let mut states = States::new(words);
    let mut numbers: HashMap<u64, u32> = HashMap::new();
    for batch in batches {
        let known = Known::new(width, &states);
        shard.begin(batch.iter().map(Vec::len).sum());
        for chunk in batch {
            let packed: Vec<u64> = chunk.iter().flat_map(pack).collect();
            shard.look_up(known, &packed);
        }

        let known = known.len;
        let mut fresh: Vec<u64> = Vec::new();
        let mut expected = Vec::new();
        for (index, chunk) in batch.iter().enumerate() {
            prop_assert_eq!(shard.starts[index].fresh as usize, fresh.len());
            expected.extend(chunk.iter().map(|target| {
                numbers.get(target).copied().unwrap_or_else(|| {
                    let seen = fresh.iter().position(|other| other == target);
                    let at = seen.unwrap_or(fresh.len());
                    if seen.is_none() {
                        fresh.push(*target);
                    }
                    known + at as u32
                })
            }));
        }
        prop_assert_eq!(&shard.results, &expected);
        prop_assert_eq!(shard.num_fresh() as usize, fresh.len());

        // The states get their numbers in another order than that in which the shard saw them.
        let last = known + fresh.len() as u32;
        let given: Vec<u32> = (known..last).rev().collect();
        let (some, others) = given.split_at(given.len() / 2);
        shard.patch(some);
        shard.patch(others);
        states.extend(&fresh.iter().rev().flat_map(pack).collect::<Vec<u64>>());
        numbers.extend(fresh.into_iter().zip(given));
    }
    Ok(())
}

/// Makes the larger half of the targets take more than 32 bits, some of which agree in the lower ones.
fn widened(batches: &[Vec<Vec<u64>>]) -> Vec<Vec<Vec<u64>>> {
    let widen = |&target: &u64| match target {
        150.. => (target - 150) << 32 | 7,
        _ => target,
    };
    let widen_chunk = |chunk: &Vec<u64>| chunk.iter().map(widen).collect();
    let chunks = |batch: &Vec<Vec<u64>>| batch.iter().map(widen_chunk).collect();
    batches.iter().map(chunks).collect()
}

proptest! {
    #[test]
    fn a_shard_is_a_map(
        batches in prop::collection::vec(
            prop::collection::vec(prop::collection::vec(0..300_u64, 0..100), 0..4),
            0..8,
        ),
    ) {
        check(Fixed::<1>, &batches)?;
        check(Fixed::<1>, &widened(&batches))?;
        check(Fixed::<2>, &batches)?;
        check(Any(3), &batches)?;
    }
}

#[test]
fn states_with_equal_fingerprints_are_told_apart() {
    // Numbers of 64 bits that look random: among so many, about 18 pairs agree in 32 bits.
    let count = 400_000;
    let numbers = (0..u64::from(count)).map(|n| n.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let numbers: Vec<u64> = numbers.collect();
    let fingerprints = numbers.iter().map(|&n| fingerprint(hash(&[n])));
    let mut different: Vec<u32> = fingerprints.collect();
    different.sort_unstable();
    different.dedup();
    assert!(different.len() < numbers.len(), "no two fingerprints agree");

    let states = States::new(1);
    let known = Known::new(Fixed::<1>, &states);
    let mut shard = Shard::new();
    shard.begin(2 * numbers.len());
    shard.look_up(known, &numbers);
    shard.look_up(known, &numbers);
    assert_eq!(shard.num_fresh(), count);
    let twice = (0..count).chain(0..count);
    assert!(twice.eq(shard.results.iter().copied()));
}

#[test]
fn a_table_is_at_most_two_thirds_full() {
    let mut shard = Shard::new();
    assert_eq!(shard.slots_for(1), 2);
    assert_eq!(shard.slots_for(2), 4);
    assert_eq!(shard.slots_for(1000), 2048);
    shard.begin(1000);
    assert_eq!(shard.num_slots(), 2048);
    shard.begin(3);
    assert_eq!(shard.num_slots(), 2048);
}
