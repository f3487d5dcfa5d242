//! The gain of a component in which each state has one choice: a Markov chain.
//!
//! [Elimination](crate::eliminate) of all states but one gives the stationary distribution: in the
//! opposite order, the weight of a state is the sum of the weights of the states that lead to it,
//! times the probabilities of their branches, divided by the sum of the probabilities with which it
//! is left. The weights may be so different that they do not fit doubles.
//!
//! The bounds follow from the number of roundings. Let a *tree* of a state be a set of branches
//! that has one branch of each other state and in which each state leads to that state. Its weight
//! is the product of its probabilities. In the stationary distribution, the weight of a state is
//! proportional to the sum of the weights of its trees. So if all probabilities of c states are
//! changed by factors between 1 - e and 1 / (1 - e), each weight changes by a factor between (1 -
//! e)^c and its inverse. If the state k is eliminated exactly, the weights of the states that are
//! left do not change, but for a common factor. With rounding, the new probabilities of each of the
//! c states that lead to k have a relative error of at most six roundings: three for the sum of the
//! probabilities of k, one for the quotient, one for the product and one for the sum. The computed
//! weight of k has c + 5 roundings: one for each product and each addition, three for the sum of
//! the probabilities of k, and one for the quotient. So all roundings together change a weight by a
//! factor of at most about 1 + e, where e is half of an EPSILON times the sum of 7 c + 6 over all
//! states k. (Matrix-tree theorem; C. O'Cinneide, *Entrywise perturbation theory and error analysis
//! for Markov chains*, 1993.) This holds as long as all numbers are normal doubles.

use crate::bounds::{Bounds, add_down, add_up};
use crate::eliminate::{Chain, Eliminated, Room};
use crate::mec::Mec;
use crate::sum::sum;
use crate::wide::Wide;
use std::ops::Range;

/// The relative error that is allowed for what is not counted: sums of rewards, quotients and
/// products of errors.
const REST: f64 = 64.0 * f64::EPSILON;
/// The part of all counted errors that is allowed for products of errors.
const PRODUCTS: f64 = 1.0 + 1.0 / 64.0;
/// The maximum relative error for which products of errors are as small as that.
const MAX_ERROR: f64 = 1e-3;
/// The sum of all weights is at least 1. If weights below 2^-1000 are left out, this is more than
/// their sum.
const LEFT_OUT: f64 = 1e-290;
/// With greatest differences of rewards within these limits, sums of rewards do not overflow, and
/// `LEFT_OUT` is enough for products that are not normal doubles.
const RANGES: Range<f64> = 1e-17..1e200;

/// Computes bounds on the gain of a component. Returns `None` if some state has several choices, or
/// if there is too little `room` for elimination.
pub(crate) fn gain(mec: &Mec<'_>, room: &mut Room<'_>) -> Option<Bounds> {
    let choices = (0..mec.num_states()).map(|state| mec.only_choice(state));
    let choices: Vec<usize> = choices.collect::<Option<_>>()?;
    let mut chain = Chain::new(mec.num_states(), mec.num_branches(), room)?;
    for (state, &choice) in choices.iter().enumerate() {
        chain.set(state, mec.branches(choice), 0.0);
    }
    let eliminated = chain.eliminate(None, room)?;
    let &[root] = &eliminated.roots[..] else {
        return None;
    };
    if !eliminated.is_exact() {
        return None;
    }
    let weights = weights(&eliminated, root, mec.num_states());
    bounds(mec, &choices, &weights, error(mec, &choices, &eliminated))
}

/// Returns the weights of the states in the stationary distribution of the class of `root`. The
/// greatest is at least 1 and below 2. They are those of a chain in which the probabilities of a
/// choice are not divided by their sum.
pub(crate) fn weights(eliminated: &Eliminated, root: usize, states: usize) -> Vec<f64> {
    let mut weights = vec![Wide::default(); states];
    weights[root] = Wide::ONE;
    for (state, leaving, column) in eliminated.backward() {
        let terms = column
            .iter()
            .map(|&(source, p)| weights[source as usize].times(p));
        let into = terms.fold(Wide::default(), Wide::plus);
        weights[state] = into.divided_by(leaving);
    }
    let greater = |a: Wide, b: Wide| if b.exceeds(a) { b } else { a };
    let greatest = weights.iter().copied().fold(Wide::ONE, greater);
    let each = weights.iter();
    each.map(|weight| weight.in_units_of(greatest)).collect()
}

/// Returns a bound on the relative error of the weight of a state, compared with another one's.
pub(crate) fn error(mec: &Mec<'_>, policy: &[usize], eliminated: &Eliminated) -> f64 {
    let counts = eliminated.degrees();
    let roundings: usize = counts.map(|(count, _)| 7 * count + 6).sum();
    let of_sums = policy.iter();
    let of_sums = of_sums.map(|&choice| mec.sum(choice).width() / mec.sum(choice).lower);
    // Either weight may have the error of all roundings.
    roundings as f64 * f64::EPSILON * PRODUCTS + 2.0 * of_sums.fold(0.0, f64::max) + REST
}

/// Returns bounds on the average reward of a policy that visits states with these weights, whose
/// relative error is at most `error`.
pub(crate) fn bounds(
    mec: &Mec<'_>,
    policy: &[usize],
    weights: &[f64],
    error: f64,
) -> Option<Bounds> {
    let weighed = policy.iter().zip(weights).map(|(&choice, weight)| {
        let weight = weight * mec.sum(choice).middle();
        (weight, mec.reward(choice))
    });
    let all: Vec<(f64, Bounds)> = weighed.collect();
    let total = sum(all.iter().map(|&(weight, _)| weight));
    let rewards: Vec<Bounds> = all.iter().map(|&(_, reward)| reward).collect();
    let Bounds { lower, upper } = Bounds::spanning(&rewards)?;
    // The average of numbers that are not negative has a small relative error.
    let mean = |distance: &dyn Fn(Bounds) -> f64| {
        sum(all
            .iter()
            .map(|&(weight, reward)| weight * distance(reward)))
            / total
    };
    let range = add_up(upper, -lower);
    let down = |mean: f64| (mean * (1.0 - error)).next_down().max(0.0);
    let up = |mean: f64| (mean * (1.0 + error) + range * LEFT_OUT).next_up();
    let from_least = Bounds {
        lower: add_down(lower, down(mean(&|r| add_down(r.lower, -lower).max(0.0)))),
        upper: add_up(lower, up(mean(&|r| add_up(r.upper, -lower)))),
    };
    let from_most = Bounds {
        lower: add_down(upper, -up(mean(&|r| add_up(upper, -r.lower)))),
        upper: add_up(upper, -down(mean(&|r| add_down(upper, -r.upper).max(0.0)))),
    };
    let found = from_least.meet(from_most);
    let is_normal = range == 0.0 || RANGES.contains(&range);
    (error < MAX_ERROR && is_normal).then_some(found)
}
