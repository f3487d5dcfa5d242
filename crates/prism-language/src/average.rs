//! Averages of rewards.

/// Integers of absolute value below this are exact as doubles.
const WHOLE: f64 = (1_u64 << 53) as f64;

/// The largest number of decimals of numbers that are added without rounding.
const DECIMALS: i32 = 15;

/// Returns the average of `(weight, value)` pairs with weights above 0, or 0 if there are none. If
/// all values are equal, the result is exactly this value. If the weights and the values are short
/// decimals, such as 0.1 and 0.25, only the result is rounded; otherwise, each step is rounded.
///
/// ```
/// assert_eq!(prism_language::average(&[(1.0, 0.1), (1.0, 0.2)]), 0.15);
/// ```
#[must_use]
pub fn average(parts: &[(f64, f64)]) -> f64 {
    let Some(&(_, first)) = parts.first() else {
        return 0.0;
    };
    if parts.iter().all(|&(_, value)| value == first) {
        return first;
    }
    of_decimals(parts).unwrap_or_else(|| {
        let total: f64 = parts.iter().map(|(weight, _)| weight).sum();
        let shares = parts.iter().map(|(weight, value)| weight / total * value);
        shares.sum()
    })
}

/// Returns the average of short decimals, which become integers when they are multiplied by a power
/// of ten.
fn of_decimals(parts: &[(f64, f64)]) -> Option<f64> {
    let of_weights = scale(parts, |part| part.0)?;
    let of_values = scale(parts, |part| part.1)?;
    let (mut sum, mut sizes, mut total) = (0.0, 0.0, 0.0);
    for (weight, value) in parts {
        let (weight, value) = ((weight * of_weights).round(), (value * of_values).round());
        sum += weight * value;
        sizes += weight * value.abs();
        total += weight;
    }
    let divisor = total * of_values;
    (sizes < WHOLE && divisor < WHOLE).then(|| sum / divisor)
}

/// Returns the least power of ten by which these decimals become integers: all weights or all
/// values.
fn scale(parts: &[(f64, f64)], decimal: fn(&(f64, f64)) -> f64) -> Option<f64> {
    let mut powers = (0..=DECIMALS).map(|power| 10_f64.powi(power));
    powers.find(|power| {
        let is_whole = |decimal: f64| {
            let whole = (decimal * power).round();
            whole.abs() < WHOLE && whole / power == decimal
        };
        parts.iter().map(decimal).all(is_whole)
    })
}

#[cfg(test)]
mod tests {
    use super::average;
    use proptest::prelude::*;

    /// Returns the double that is nearest to the average of values that are hundredths.
    fn nearest(parts: &[(u32, i32)]) -> f64 {
        let earned = parts
            .iter()
            .map(|&(weight, value)| i64::from(weight) * i64::from(value));
        let (sum, total) = (
            earned.sum::<i64>(),
            parts.iter().map(|part| i64::from(part.0)),
        );
        // Both are whole and below 2^53, so that only the quotient is rounded.
        sum as f64 / (100 * total.sum::<i64>()) as f64
    }

    proptest! {
        #[test]
        fn averages_of_decimals_are_rounded_once(
            parts in prop::collection::vec((1..1000_u32, -100_000..100_000_i32), 1..8),
        ) {
            let hundredth = |number: f64| number / 100.0;
            let decimals: Vec<(f64, f64)> = parts
                .iter()
                .map(|&(weight, value)| (hundredth(weight.into()), hundredth(value.into())))
                .collect();
            prop_assert_eq!(average(&decimals), nearest(&parts));
        }

        #[test]
        fn equal_values_have_themselves_as_their_average(
            weights in prop::collection::vec(1e-9..1e9, 1..8),
            value in -1e9..1e9,
        ) {
            let parts: Vec<_> = weights.into_iter().map(|weight| (weight, value)).collect();
            prop_assert_eq!(average(&parts), value);
        }
    }

    #[test]
    fn other_averages_are_near() {
        assert_eq!(average(&[]), 0.0);
        let thirds = average(&[(1.0 / 3.0, 1.0), (2.0 / 3.0, 4.0)]);
        assert!((thirds - 3.0).abs() < 1e-15, "{thirds}");
        // Too many digits to be added without rounding.
        let long = average(&[(1.0, 1e15), (1.0, 0.5)]);
        assert_eq!(long, 500_000_000_000_000.25);
    }
}
