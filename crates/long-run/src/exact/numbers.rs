//! A model in rational numbers.

use super::linear::Solution;
use crate::problem::Problem;
use mdp_graph::{ChoiceId, Objective, StateId};
use num_bigint::BigInt;
use num_integer::Integer as _;
use num_rational::BigRational;
use num_traits::Zero as _;
use std::collections::HashMap;

/// A choice: its expected reward, negated if the least average is sought, and its distribution. All
/// numbers are multiplied by `scale`, which is above 0, so that they are integers. The caller
/// numbers the targets.
#[derive(PartialEq)]
pub(crate) struct Choice {
    pub(super) scale: BigInt,
    pub(super) earned: BigInt,
    pub(super) branches: Vec<(usize, BigInt)>,
}

impl Choice {
    pub(super) fn new(earned: &BigRational, branches: &[(usize, BigRational)]) -> Self {
        let denominators = branches.iter().map(|(_, p)| p.denom());
        let scale = denominators.fold(earned.denom().clone(), |all, denominator| {
            all.lcm(denominator)
        });
        let whole = |number: &BigRational| number.numer() * (&scale / number.denom());
        Self {
            earned: whole(earned),
            branches: branches
                .iter()
                .map(|(target, p)| (*target, whole(p)))
                .collect(),
            scale,
        }
    }

    pub(super) fn targets(&self) -> impl Iterator<Item = usize> {
        self.branches.iter().map(|&(target, _)| target)
    }

    /// Returns the choice that ends a run and earns this.
    pub(super) fn end(earned: &BigRational) -> Self {
        Self::new(earned, &[])
    }

    /// Returns the reward plus the expected value of the next state: the numerator of a fraction
    /// with the denominator of the values times the scale.
    pub(super) fn worth(&self, values: &Solution) -> BigInt {
        let terms = self.branches.iter();
        let expected: BigInt = terms
            .map(|(target, p)| p * &values.numerators[*target])
            .sum();
        &self.earned * &values.denominator + expected
    }
}

/// Returns a choice of a problem. `place` numbers its targets.
pub(super) fn choice(
    problem: &Problem<'_>,
    state: StateId,
    choice: ChoiceId,
    place: impl Fn(StateId) -> usize,
) -> Choice {
    let rewards = problem.rewards();
    let fractions = problem.fractions;
    let at = |array: Option<&[f64]>, fractions: Option<&HashMap<usize, BigRational>>, i: usize| {
        let fraction = fractions.and_then(|fractions| fractions.get(&i));
        match (array, fraction) {
            (None, _) => BigRational::zero(),
            (Some(_), Some(fraction)) => fraction.clone(),
            (Some(array), None) => decimal(array[i]),
        }
    };
    let range = problem.branches(choice);
    let given: Vec<BigRational> = range
        .clone()
        .map(|b| at(Some(problem.probabilities), fractions.probabilities, b))
        .collect();
    let sum: BigRational = given.iter().sum();
    let mut earned = at(rewards.states, fractions.states, state.index())
        + at(rewards.choices, fractions.choices, choice.index());
    let mut branches = Vec::with_capacity(given.len());
    for (branch, probability) in range.zip(given) {
        let probability = probability / &sum;
        earned += at(rewards.branches, fractions.branches, branch) * &probability;
        branches.push((place(problem.graph.all_targets()[branch]), probability));
    }
    let earned = match problem.objective {
        Objective::Max => earned,
        Objective::Min => -earned,
    };
    Choice::new(&earned, &branches)
}

/// Returns the decimal for a double: the shortest one to which this double is nearest. The double
/// must be finite.
fn decimal(value: f64) -> BigRational {
    let text = format!("{value:e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    // Rust prints doubles in this form, so both parts are numbers.
    let digits: BigInt = format!("{whole}{fraction}").parse().unwrap_or_default();
    let exponent = exponent.parse::<i32>().unwrap_or_default() - fraction.len() as i32;
    let power = BigInt::from(10).pow(exponent.unsigned_abs());
    match exponent >= 0 {
        true => BigRational::from(digits * power),
        false => BigRational::new(digits, power),
    }
}

#[cfg(test)]
mod tests {
    use super::decimal;

    #[test]
    fn doubles_stand_for_decimals() {
        let shown = |value| decimal(value).to_string();
        assert_eq!(shown(0.1), "1/10");
        assert_eq!(shown(-2.5e-3), "-1/400");
        assert_eq!(shown(3e20), "300000000000000000000");
        assert_eq!(shown(0.0), "0");
        assert_eq!(shown(1.0 / 3.0), "3333333333333333/10000000000000000");
    }
}
