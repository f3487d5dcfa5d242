//! Rates of a state as its exit rate and probabilities: the format stores the rates of CTMCs and
//! Markov automata as these two, and a rate is their product.

/// The distance in floating-point numbers from the sum of the rates within which an exit rate is
/// sought.
const REACH: usize = 64;

/// The least double above 0.
const LEAST: f64 = f64::from_bits(1);

/// Returns the exit rate of a state with these rates: their sum, up to rounding.
///
/// For about one state in five, there are no probabilities whose products with the sum are exactly
/// the rates. Then the nearest number is returned for which there are, if there is one among the 64
/// floating-point numbers on either side of the sum; this fails for about one state in a thousand.
/// So a relative error of up to 2⁻⁴⁶ in the exit rate, as adding many rates may cause too,
/// preserves the rates.
///
/// ```
/// let rates = [0.9, 1.8];
/// let exit_rate = umb::exit_rate(&rates);
/// assert!((exit_rate - 2.7).abs() < 1e-13);
/// let product = umb::probability(1.8, exit_rate) * exit_rate;
/// assert_eq!(product, 1.8);
/// ```
#[must_use]
pub fn exit_rate(rates: &[f64]) -> f64 {
    let sum: f64 = rates.iter().sum();
    if !sum.is_normal() {
        return sum;
    }
    let (mut less, mut more) = (sum, sum);
    for _ in 0..=REACH {
        for exit_rate in [less, more] {
            if rates.iter().all(|&rate| exact(rate, exit_rate).is_some()) {
                return exit_rate;
            }
        }
        (less, more) = (less.next_down(), more.next_up());
    }
    sum
}

/// Returns the probability of a branch with this rate: the quotient, or the next number if only its
/// product with the exit rate is exactly the rate. A rate above 0 has a probability above 0.
#[must_use]
pub fn probability(rate: f64, exit_rate: f64) -> f64 {
    let least = if rate > 0.0 { LEAST } else { 0.0 };
    exact(rate, exit_rate)
        .unwrap_or(rate / exit_rate)
        .max(least)
}

/// Returns the probability whose product with the exit rate is exactly the rate, if there is one.
///
/// No product is nearer to the rate than that of the quotient. But below a power of two, numbers
/// are closer together than above it. If the rate is such a power, the product of the quotient may
/// be rounded to the number below, while that of the next number is rounded to the rate.
fn exact(rate: f64, exit_rate: f64) -> Option<f64> {
    let quotient = rate / exit_rate;
    let mut nearby = [quotient, quotient.next_up()].into_iter();
    nearby.find(|&probability| probability <= 1.0 && probability * exit_rate == rate)
}

#[cfg(test)]
mod tests {
    use super::{LEAST, REACH, exit_rate, probability};
    use proptest::collection::vec;
    use proptest::prelude::*;
    use std::iter::successors;

    /// Returns rates as people write them, and arbitrary ones.
    fn rates() -> impl Strategy<Value = f64> {
        prop_oneof![
            (1..1000u32).prop_map(|tenths| f64::from(tenths) / 10.0),
            1e-3..1e3
        ]
    }

    /// Returns a number and its neighbours in both directions.
    fn around(number: f64, reach: usize) -> Vec<f64> {
        let less = successors(Some(number), |number| Some(number.next_down()));
        let more = successors(Some(number), |number| Some(number.next_up()));
        less.take(reach + 1).chain(more.take(reach + 1)).collect()
    }

    /// Returns whether some probability near the quotient gives the rate back.
    fn can_be_exact(rate: f64, exit_rate: f64) -> bool {
        let mut nearby = around(rate / exit_rate, 5).into_iter();
        nearby.any(|probability| probability <= 1.0 && probability * exit_rate == rate)
    }

    #[test]
    fn the_number_after_the_quotient_is_tried() {
        assert_ne!(1.0 / 49.0 * 49.0, 1.0);
        assert_eq!(probability(1.0, 49.0) * 49.0, 1.0);
    }

    #[test]
    fn sums_that_lose_rates_are_not_exit_rates() {
        let lost: Vec<_> = (1..100u32)
            .flat_map(|a| (a..100).map(move |b| [f64::from(a) / 10.0, f64::from(b) / 10.0]))
            .filter(|rates| {
                let exit_rate = exit_rate(rates);
                let is_lost = |&rate: &f64| probability(rate, exit_rate) * exit_rate != rate;
                rates.iter().any(is_lost)
            })
            .collect();
        assert!(lost.len() <= 5, "{lost:?}");
    }

    proptest! {
        #[test]
        fn products_are_rates_if_they_can_be(
            own in prop_oneof![rates(), Just(1.0)],
            others in rates(),
        ) {
            let exit_rate = own + others;
            let product = probability(own, exit_rate) * exit_rate;
            prop_assert_eq!(product == own, can_be_exact(own, exit_rate));
            prop_assert!((product - own).abs() <= 2.0 * f64::EPSILON * own);
        }

        #[test]
        fn rates_are_kept_if_an_exit_rate_near_their_sum_keeps_them(
            rates in vec(rates(), 0..12),
        ) {
            let found = exit_rate(&rates);
            let sum = rates.iter().sum();
            let keeps = |exit_rate: f64| rates.iter().all(|&rate| can_be_exact(rate, exit_rate));
            match keeps(found) {
                true => prop_assert!(around(sum, REACH).contains(&found)),
                false => {
                    prop_assert_eq!(found, sum);
                    prop_assert!(!around(sum, REACH).into_iter().any(keeps));
                }
            }
        }
    }

    #[test]
    fn tiny_rates_have_probabilities_above_zero() {
        let rates = [1e-320, 1e308];
        let exit_rate = exit_rate(&rates);
        assert_eq!(probability(rates[0], exit_rate), LEAST);
        assert_eq!(probability(rates[1], exit_rate), 1.0);
        assert_eq!(probability(0.0, exit_rate), 0.0);
    }
}
