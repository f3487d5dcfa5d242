//! The step of policy iteration that takes better choices.

use super::linear::Solution;
use super::numbers::Choice;
use num_bigint::BigInt;
use num_traits::One as _;

/// Takes the best choice of each state: the one with the greatest reward + expected value, if that
/// is greater than `gain` + the value of the state. Returns whether a state has changed its choice.
/// `gain` is a numerator, as the values are.
pub(super) fn improve(
    choices: &[Vec<Choice>],
    policy: &mut [usize],
    gain: &BigInt,
    values: &Solution,
) -> bool {
    let mut is_improved = false;
    for (state, own) in policy.iter_mut().enumerate() {
        // The common denominator is left out. The second number divides the first.
        let (mut most, mut scale) = (gain + &values.numerators[state], &BigInt::one());
        for (number, choice) in choices[state].iter().enumerate() {
            let worth = choice.worth(values);
            if &worth * scale > &most * &choice.scale {
                (most, scale, *own) = (worth, &choice.scale, number);
                is_improved = true;
            }
        }
    }
    is_improved
}
