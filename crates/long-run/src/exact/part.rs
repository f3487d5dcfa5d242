//! Bounds on the averages of a small part of a model without rounding, where doubles do not bring
//! them close enough: one maximal end component, or one component of the quotient.
//!
//! Here the doubles of a model stand for themselves, because bounds are those of its doubles.
//! Numbers that are only known to lie between bounds are given their lower bounds, and then their
//! upper ones: averages and values do not decrease if a reward, or a value outside, increases.

use super::gain::gain as gain_of;
use super::numbers::Choice;
use super::quotient::values as values_of;
use crate::bounds::Bounds;
use crate::context::Context;
use crate::error::Error;
use crate::mec::Mec;
use num_rational::BigRational;
use num_traits::Zero as _;

/// The number of iterations after which a small part is solved without rounding.
pub(crate) const AFTER: u64 = 1 << 10;

/// The maximum numbers of states and branches of a small part.
const MOST_STATES: usize = 256;
const MOST_BRANCHES: usize = 1 << 12;
/// The maximum number of binary digits of the denominators of all states. Solutions have about
/// twice as many digits.
const MOST_DIGITS: u64 = 20_000;

/// Returns one of two bounds.
pub(crate) type Pick = fn(Bounds) -> f64;

/// The choices of each state of a part. `None` if one of their numbers is not finite.
type Choices = Option<Vec<Vec<Choice>>>;

/// Where a branch leads: to a place in the part, or out of it to a value.
pub(crate) enum Target {
    Inside(usize),
    Outside(f64),
}

/// Returns whether a part is so small that it is solved without rounding.
pub(crate) fn is_small(states: usize, branches: usize) -> bool {
    states <= MOST_STATES && branches <= MOST_BRANCHES
}

/// Returns the nearest bounds on the gain of a small component, or `None` if its numbers have too
/// many digits, or are not finite. `policy` has a choice of each state that is nearly the best, so
/// that it takes less time.
pub(crate) fn gain(
    mec: &Mec<'_>,
    mut policy: Vec<usize>,
    context: &Context<'_>,
) -> Result<Option<Bounds>, Error> {
    for (state, choice) in policy.iter_mut().enumerate() {
        *choice -= mec.choices(state).start;
    }
    let choices = |pick: Pick| {
        let of = |choice: usize| {
            let branches = mec
                .branches(choice)
                .map(|(target, p)| (Target::Inside(target), p));
            weighed(pick(mec.reward(choice)), branches)
        };
        let row = |state: usize| mec.choices(state).map(of).collect();
        (0..mec.num_states()).map(row).collect()
    };
    let solve = |choices: &[Vec<Choice>]| {
        let (gain, _) = gain_of(choices, &mut policy, context)?;
        Ok(vec![Bounds::enclosing(&gain)])
    };
    let found = at_both_ends(choices, solve)?;
    Ok(found.map(|found| found[0]))
}

/// Returns the nearest bounds on the values of a component of the quotient whose nodes have these
/// `actions`, or `None` if the numbers have too many digits, or are not finite. `policy` has the
/// numbers of some actions that are nearly the best.
pub(crate) fn values(
    actions: impl Fn(Pick) -> Choices,
    mut policy: Vec<usize>,
    context: &Context<'_>,
) -> Result<Option<Vec<Bounds>>, Error> {
    at_both_ends(actions, |actions| {
        let (values, _) = values_of(actions, &mut policy, context)?;
        let of = |n| Bounds::enclosing(&BigRational::new(n, values.denominator.clone()));
        Ok(values.numerators.into_iter().map(of).collect())
    })
}

/// Solves equations twice: numbers of which only bounds are known have their lower bounds, and then
/// their upper bounds.
fn at_both_ends(
    choices: impl Fn(Pick) -> Choices,
    mut solve: impl FnMut(&[Vec<Choice>]) -> Result<Vec<Bounds>, Error>,
) -> Result<Option<Vec<Bounds>>, Error> {
    let picks: [Pick; 2] = [|bounds| bounds.lower, |bounds| bounds.upper];
    let [Some(lower), Some(upper)] = picks.map(choices) else {
        return Ok(None);
    };
    let digits = |row: &Vec<Choice>| row.iter().map(|choice| choice.scale.bits()).max();
    let digits = |rows: &[Vec<Choice>]| rows.iter().filter_map(digits).sum::<u64>();
    if digits(&lower).max(digits(&upper)) > MOST_DIGITS {
        return Ok(None);
    }
    let mut found = solve(&lower)?;
    if lower != upper {
        for (bounds, upper) in found.iter_mut().zip(solve(&upper)?) {
            bounds.upper = upper.upper;
        }
    }
    Ok(Some(found))
}

/// Returns the choice that ends a run and earns this.
pub(crate) fn end(earned: f64) -> Option<Choice> {
    Some(Choice::end(&BigRational::from_float(earned)?))
}

/// Returns the choice that earns this and has these branches, whose probabilities are divided by
/// their sum. Each leads to a place, or out of the part to a value.
pub(crate) fn weighed(
    earned: f64,
    branches: impl Iterator<Item = (Target, f64)>,
) -> Option<Choice> {
    let (mut sum, mut outside, mut inside) = (BigRational::zero(), BigRational::zero(), Vec::new());
    for (target, p) in branches {
        let p = BigRational::from_float(p)?;
        sum += &p;
        match target {
            Target::Inside(place) => inside.push((place, p)),
            Target::Outside(value) => outside += p * BigRational::from_float(value)?,
        }
    }
    inside.iter_mut().for_each(|(_, p)| *p /= &sum);
    let earned = BigRational::from_float(earned)? + outside / sum;
    Some(Choice::new(&earned, &inside))
}

#[cfg(test)]
mod tests {
    use super::*;
    use decompose::Silent;
    use mdp_graph::Objective;

    /// Bounds on the value of a node that leaves for one of two values. The first of them is only
    /// known to lie between 1 and `upper`.
    fn found(upper: f64, p: f64) -> Option<Bounds> {
        let context = Context {
            observer: &Silent,
            objective: Objective::Max,
            max_iterations: 0,
        };
        let actions = |pick: Pick| {
            let outside = Target::Outside(pick(Bounds { lower: 1.0, upper }));
            let branches = [
                (Target::Inside(0), 0.5),
                (outside, p),
                (Target::Outside(0.0), p),
            ];
            let leave = weighed(0.0, branches.into_iter())?;
            Some(vec![vec![end(0.25)?, leave]])
        };
        let found = values(actions, vec![0], &context).expect("nobody cancels");
        found.map(|found| found[0])
    }

    #[test]
    fn values_lie_between_those_of_both_ends() {
        let bounds = |lower, upper| Some(Bounds { lower, upper });
        assert_eq!(found(1.0, 0.25), bounds(0.5, 0.5));
        assert_eq!(found(3.0, 0.25), bounds(0.5, 1.5));
        assert_eq!(found(3.0, 1e-300), bounds(0.5, 1.5));
    }

    #[test]
    fn numbers_that_are_infinite_or_too_long_are_refused() {
        assert_eq!(found(f64::INFINITY, 0.25), None);
        assert_eq!(end(f64::NAN).map(|end| end.earned), None);
        let long = |states: usize| {
            let (tiny, context) = (
                f64::MIN_POSITIVE,
                Context {
                    observer: &Silent,
                    objective: Objective::Max,
                    max_iterations: 0,
                },
            );
            let rows = |_: Pick| (0..states).map(|_| Some(vec![end(tiny)?])).collect();
            values(rows, vec![0; states], &context).expect("nobody cancels")
        };
        assert!(long(10).is_some());
        assert!(long(100).is_none());
    }
}
