//! Rewards and probabilities as integers: rewards in a unit that is a power of two, probabilities
//! as 64 binary digits.

use crate::error::Error;
use crate::inner::{Inner, fill};
use mdp_graph::check_room;
use rayon::prelude::*;
use std::collections::HashSet;

/// The minimum number of branches that a thread handles at a time.
const PER_TASK: usize = 1 << 14;

/// The minimum number of units in the required distance of bounds. Each branch of a step is rounded
/// by up to a unit.
const UNITS: f64 = 4096.0;

/// The maximum number of units in the greatest reward.
const MAX_EARNED: f64 = (1u64 << 52) as f64;

/// Returns the greatest absolute value of a reward.
pub(super) fn greatest_earned(inner: &Inner) -> f64 {
    let size = |earned: &crate::bounds::Bounds| earned.lower.abs().max(earned.upper.abs());
    inner.earned.par_iter().map(size).reduce(|| 0.0, f64::max)
}

/// Returns the unit of values for bounds whose distance is `epsilon`, or `None` if the greatest
/// reward is too large for it.
pub(super) fn unit(greatest: f64, epsilon: f64) -> Option<f64> {
    // The greatest power of two that is not greater.
    let unit = 2f64.powi((epsilon / UNITS).log2().floor() as i32);
    (unit.is_normal() && greatest / unit <= MAX_EARNED).then_some(unit)
}

/// A model in integers.
pub(super) struct Fixed {
    /// The reward of each choice, in two's complement.
    pub(super) earned: Vec<u64>,
    /// The target of each branch, and the index of its probability.
    pub(super) branches: Vec<[u32; 2]>,
    /// The probabilities of branches, in ascending order, without duplicates.
    pub(super) probabilities: Vec<u64>,
}

impl Fixed {
    /// Converts a model, with rewards in this unit.
    pub(super) fn new(inner: &Inner, unit: f64) -> Result<Self, Error> {
        let (choices, branches) = (inner.earned.len(), inner.targets.len());
        check_room(
            "rewards and branches for the device",
            &[16 * choices, 8 * branches],
        )
        .map_err(decompose::Error::OutOfMemory)?;
        let digits = |choice: usize| {
            let sum = inner.sums[choice].middle();
            let probabilities = &inner.probabilities[inner.branches(choice)];
            // 2^64 does not occur, because the conversion saturates below it.
            let of = move |p: &f64| (p / sum * 2f64.powi(64)) as u64;
            probabilities.iter().map(of)
        };
        let probabilities = distinct(choices, &digits);
        let place = |p: u64| probabilities.partition_point(|&other| other < p) as u32;
        let mut all = vec![[0; 2]; branches];
        fill(&mut all, inner.choice_starts(), |choice| {
            let targets = inner.targets[inner.branches(choice)].iter();
            targets
                .zip(digits(choice))
                .map(|(&target, p)| [target, place(p)])
        });
        let earned = inner.earned.par_iter();
        Ok(Self {
            earned: earned
                .map(|earned| (earned.middle() / unit).round() as i64 as u64)
                .collect(),
            branches: all,
            probabilities,
        })
    }
}

/// Returns all probabilities that occur, in ascending order and without duplicates.
fn distinct<I: Iterator<Item = u64>>(
    choices: usize,
    digits: &(impl Fn(usize) -> I + Sync),
) -> Vec<u64> {
    let add = |mut set: HashSet<u64>, choice: usize| {
        let mut last = None;
        for p in digits(choice) {
            // Most probabilities are equal to the one before.
            if last != Some(p) {
                set.insert(p);
            }
            last = Some(p);
        }
        set
    };
    let all = (0..choices)
        .into_par_iter()
        .with_min_len(PER_TASK)
        .fold(HashSet::new, add)
        .reduce(HashSet::new, |mut a, b| {
            a.extend(b);
            a
        });
    let mut sorted: Vec<u64> = all.into_iter().collect();
    sorted.par_sort_unstable();
    sorted
}
