//! Tests that compare a set with a map, batch after batch, with one thread and with several.

use super::{Alone, Set, Shared, Slots};
use crate::chunk::Lookup;
use crate::states::{Any, Fixed, Known, States, Width, fingerprint};
use mdp_graph::StateId;
use proptest::prelude::*;
use rayon::prelude::*;
use std::collections::HashMap;

/// The targets of a batch: a list for each chunk.
type Batch = Vec<Vec<u64>>;

fn pack(words: usize, target: u64) -> Vec<u64> {
    let mut packed = vec![0; words];
    packed[words - 1] = target;
    packed
}

/// The threads that look up a batch.
#[derive(Clone, Copy, Debug)]
enum Threads {
    One,
    All,
}

/// A search: the states that it has found, and how it looks up others.
struct Search<W> {
    width: W,
    are_narrow: bool,
    threads: Threads,
    set: Set,
    states: States,
}

impl<W: Width> Search<W> {
    /// Looks up a batch as the explorer does. Returns the numbers, and adds the new states.
    fn look_up(&mut self, batch: &[Vec<u64>]) -> Vec<StateId> {
        let known = Known::new(self.width, &self.states);
        let branches = batch.iter().map(Vec::len).sum::<usize>() / self.width.words();
        self.set.reserve(branches);
        let slots = self.set.slots();
        let mut lookups: Vec<Lookup> = batch.iter().map(|_| Lookup::default()).collect();
        let narrow = self.are_narrow;
        let fresh = match self.threads {
            Threads::One => look_up_alone(slots, known, narrow, batch, &mut lookups),
            Threads::All => look_up_together(slots, known, narrow, batch, &mut lookups),
        };
        self.set.count(fresh.len() / self.width.words());
        self.states.extend(&fresh);
        let numbers = lookups.into_iter().flat_map(|found| found.numbers);
        numbers.collect()
    }
}

/// Looks up a batch on this thread. Returns the new states.
fn look_up_alone<W: Width>(
    slots: Slots<'_>,
    known: Known<'_, W>,
    are_narrow: bool,
    batch: &[Vec<u64>],
    lookups: &mut [Lookup],
) -> Vec<u64> {
    let mut fresh = Vec::new();
    let mut newcomers = Alone::new(known, &mut fresh);
    for (targets, found) in batch.iter().zip(lookups) {
        let numbers = &mut found.numbers;
        slots.look_up(known, are_narrow, targets, &mut newcomers, numbers);
    }
    fresh
}

/// Looks up a batch on all threads. Returns the new states.
fn look_up_together<W: Width>(
    slots: Slots<'_>,
    known: Known<'_, W>,
    are_narrow: bool,
    batch: &[Vec<u64>],
    lookups: &mut [Lookup],
) -> Vec<u64> {
    let targets: Vec<&[u64]> = batch.iter().map(|targets| &targets[..]).collect();
    let mut starts = vec![0];
    for targets in batch {
        let branches = (targets.len() / known.width.words()) as u32;
        starts.push(starts[starts.len() - 1] + branches);
    }
    lookups.par_iter_mut().enumerate().for_each(|(i, found)| {
        let Lookup {
            numbers, pending, ..
        } = found;
        let mut newcomers = Shared::new(known, i, &targets, &starts, pending);
        slots.look_up(known, are_narrow, targets[i], &mut newcomers, numbers);
    });
    lookups
        .par_iter_mut()
        .for_each(|found| found.find_first(slots));
    let mut fresh = Vec::new();
    let mut number = known.len;
    for (found, targets) in lookups.iter_mut().zip(targets) {
        found.number_first(slots, number, targets);
        number += found.num_first();
        fresh.extend_from_slice(&found.fresh);
    }
    lookups
        .par_iter_mut()
        .for_each(|found| found.number_rest(slots));
    fresh
}

/// Compares every number with that of a map, which numbers states in the order in which they first
/// occur.
fn check<W: Width>(width: W, batches: &[Batch], threads: Threads) -> Result<(), TestCaseError> {
    let words = width.words();
    let largest = batches.iter().flatten().flatten().max();
    let mut search = Search {
        width,
        are_narrow: largest.is_none_or(|&target| target >> 32 == 0),
        threads,
        set: Set::new(),
        states: States::new(words),
    };
    let mut numbers: HashMap<u64, u32> = HashMap::new();
    let mut order = Vec::new();
    for batch in batches {
        let packed = |targets: &Vec<u64>| targets.iter().flat_map(|&t| pack(words, t)).collect();
        let packed: Batch = batch.iter().map(packed).collect();
        let found = search.look_up(&packed);
        let expected = batch.iter().flatten().map(|&target| {
            let next = numbers.len() as u32;
            StateId(*numbers.entry(target).or_insert_with(|| {
                order.extend(pack(words, target));
                next
            }))
        });
        prop_assert_eq!(found, expected.collect::<Vec<_>>());
        prop_assert_eq!(search.states.packed(), &order[..]);
    }
    Ok(())
}

/// Makes the larger half of the targets take more than 32 bits. Some of them then agree in their
/// lower 32 bits.
fn widened(batches: &[Batch]) -> Vec<Batch> {
    let widen = |&target: &u64| match target {
        150.. => (target - 150) << 32 | 7,
        _ => target,
    };
    let widen_chunk = |chunk: &Vec<u64>| chunk.iter().map(widen).collect();
    let chunks = |batch: &Batch| batch.iter().map(widen_chunk).collect();
    batches.iter().map(chunks).collect()
}

proptest! {
    #[test]
    fn a_set_numbers_states_like_a_map(
        batches in prop::collection::vec(
            prop::collection::vec(prop::collection::vec(0..300_u64, 0..100), 0..4),
            0..8,
        ),
        threads in prop::sample::select(vec![Threads::One, Threads::All]),
    ) {
        check(Fixed::<1>, &batches, threads)?;
        check(Fixed::<1>, &widened(&batches), threads)?;
        check(Fixed::<2>, &batches, threads)?;
        check(Any(3), &batches, threads)?;
    }
}

/// Returns numbers of 64 bits that look random.
fn random(count: u64) -> Vec<u64> {
    let numbers = (0..count).map(|n| n.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    numbers.collect()
}

#[test]
fn states_with_equal_fingerprints_are_told_apart() {
    // In this many states, about 18 pairs agree in 32 bits.
    let states = random(400_000);
    let fingerprints = states.iter().map(|&state| fingerprint(&[state]));
    let mut different: Vec<u32> = fingerprints.collect();
    different.sort_unstable();
    different.dedup();
    assert!(different.len() < states.len(), "no two fingerprints agree");
    for threads in [Threads::One, Threads::All] {
        let batch = vec![states.clone(), states.clone()];
        check(Fixed::<1>, &[batch.clone(), batch], threads).expect("a set is a map");
    }
}

#[test]
fn threads_that_race_for_the_same_states_agree() {
    // Each chunk has all states, and begins with another one.
    let states = random(3000);
    let from = |first: usize| [&states[first..], &states[..first]].concat();
    let batch: Batch = (0..16).map(|chunk| from(chunk * 180)).collect();
    for _ in 0..20 {
        check(Fixed::<1>, std::slice::from_ref(&batch), Threads::All).expect("a set is a map");
    }
}

#[test]
fn a_table_is_at_most_two_thirds_full() {
    let mut set = Set::new();
    assert_eq!(set.slots_for(1), 1024);
    assert_eq!(set.slots_for(682), 1024);
    assert_eq!(set.slots_for(683), 2048);
    assert_eq!(set.growth(683), 2048 * 8);
    set.reserve(683);
    assert_eq!(set.bytes(), 2048 * 8);
    set.reserve(3);
    assert_eq!((set.bytes(), set.growth(3)), (2048 * 8, 0));
}
