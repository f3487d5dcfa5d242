//! Tests of merging and dropping branches, which are compared with a list of branches.

use super::{Choices, Halt};
use crate::options::{Details, Observer};
use proptest::prelude::*;

/// Returns the choices of a run: their branches, in order, with those of equal targets merged.
fn naive(choices: &[Vec<(u64, u8)>]) -> Vec<Vec<(u64, f64)>> {
    choices
        .iter()
        .map(|branches| {
            let mut merged: Vec<(u64, f64)> = Vec::new();
            for &(target, weight) in branches.iter().filter(|&&(_, weight)| weight > 0) {
                match merged.iter_mut().find(|(other, _)| *other == target) {
                    Some((_, sum)) => *sum += f64::from(weight),
                    None => merged.push((target, f64::from(weight))),
                }
            }
            merged
        })
        .collect()
}

/// Packs a target into `words` words, of which only the last depends on the target.
fn pack(words: usize, target: u64) -> Vec<u64> {
    let mut packed = vec![7; words];
    packed[words - 1] = target;
    packed
}

/// Returns the branches of each choice that were kept.
fn kept(choices: &Choices<'_>, words: usize) -> Vec<Vec<(u64, f64)>> {
    let targets = choices.found.targets.chunks_exact(words);
    let targets = targets.map(|target| target[words - 1]);
    let branches: Vec<(u64, f64)> = targets
        .zip(choices.found.probabilities.iter().copied())
        .collect();
    let mut start = 0;
    let mut read = |end: u32| {
        let first = std::mem::replace(&mut start, end as usize);
        branches[first..end as usize].to_vec()
    };
    choices
        .found
        .branch_ends
        .iter()
        .map(|&end| read(end))
        .collect()
}

proptest! {
    #[test]
    fn equal_targets_are_merged(
        choices in prop::collection::vec(
            prop::collection::vec((0..30_u64, 0..4_u8), 0..80),
            0..6,
        ),
        words in 1..4_usize,
    ) {
        let mut run = Choices::new(words, Details::ALL);
        for (action, branches) in choices.iter().enumerate() {
            run.begin(action as u32);
            for &(target, weight) in branches {
                run.branch(&pack(words, target), f64::from(weight));
            }
        }
        run.end();
        let naive = naive(&choices);
        prop_assert_eq!(kept(&run, words), naive.clone());
        prop_assert_eq!(run.found.has_empty_choice, naive.iter().any(Vec::is_empty));
        let dropped = choices.iter().flatten().filter(|&&(_, weight)| weight == 0).count();
        prop_assert_eq!(run.found.dropped, dropped as u64);
        prop_assert!(run.found.actions.iter().copied().eq(0..choices.len() as u32));
        prop_assert_eq!(run.num_choices(), choices.len());
        prop_assert_eq!(run.num_branches(), naive.iter().map(Vec::len).sum::<usize>());
    }
}

#[test]
fn a_run_keeps_no_more_than_it_may() {
    let mut run = Choices::new(1, Details::NONE);
    run.clear(1, 10);
    for target in 0..10 {
        run.begin(0);
        run.branch(&[target], 1.0);
    }
    run.end();
    assert!(!run.has_overflowed());
    for target in 0..1000 {
        run.begin(0);
        run.branch(&[target], 1.0);
    }
    run.end();
    assert!(run.has_overflowed());
    assert_eq!(run.num_branches(), 11);
    run.clear(1, usize::MAX);
    assert!(!run.has_overflowed());
    assert_eq!((run.num_choices(), run.num_branches()), (0, 0));
}

#[test]
fn a_state_that_is_given_up_has_a_reason() {
    let mut run = Choices::new(1, Details::NONE).watched(&crate::Silent, Some(20));
    run.clear(1, 30);
    let mut halts = Vec::new();
    for target in 0..40 {
        if target % 25 == 0 {
            run.begin(7 + target as u32);
        }
        run.branch(&[target], 1.0);
        halts.push(run.halt);
        run.is_over();
    }
    // One choice may have 20 targets, so 21 are too many.
    assert_eq!(halts.iter().position(Option::is_some), Some(21));
    assert_eq!((run.halt(), run.last_action()), (Some(Halt::States), 32));

    run.clear(1, 30);
    assert_eq!((run.is_over(), run.halt()), (false, None));
    for target in 0..31 {
        run.begin(0);
        run.branch(&[target], 1.0);
    }
    assert_eq!((run.is_over(), run.halt()), (true, Some(Halt::Overflow)));

    // Choices without branches take no memory, but they are not allowed.
    run.clear(1, 30);
    run.begin(0);
    run.begin(0);
    assert_eq!((run.is_over(), run.halt()), (true, None));
}

#[test]
fn an_observer_ends_a_state() {
    struct Stop;
    impl Observer for Stop {
        fn is_cancelled(&self) -> bool {
            true
        }
    }
    let mut run = Choices::new(1, Details::NONE).watched(&Stop, None);
    assert_eq!((run.is_over(), run.halt()), (true, Some(Halt::Cancelled)));
}
