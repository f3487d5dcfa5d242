//! Fractions of natural numbers of any size, rounded and subtracted exactly.

use num_bigint::BigUint;

/// The number of steps that may be spent on the fractions of one distribution. A step multiplies
/// two numbers of 64 bits. So a long line cannot take time quadratic in its length.
const MAX_STEPS: u64 = 1 << 22;

/// Up to this number, all natural numbers are doubles.
const EXACT: u64 = 1 << f64::MANTISSA_DIGITS;

/// A fraction. Its denominator is not 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Ratio {
    pub(super) numerator: BigUint,
    pub(super) denominator: BigUint,
}

impl Ratio {
    pub(super) fn new(numerator: u128, denominator: u128) -> Self {
        Self {
            numerator: numerator.into(),
            denominator: denominator.into(),
        }
    }

    /// Returns the nearest double, or the least double above 0 if the fraction is above 0 and a
    /// double cannot distinguish it from 0.
    pub(super) fn to_double(&self) -> f64 {
        let small = |number: &BigUint| u64::try_from(number).ok();
        let both = small(&self.numerator).zip(small(&self.denominator));
        if let Some(value) = both.and_then(|(over, under)| small_quotient(over, under)) {
            return value;
        }
        if self.numerator == BigUint::ZERO {
            return 0.0;
        }
        // The quotient of the shifted numbers has 60 bits at least, and 62 at most. One more bit
        // says whether it has a remainder.
        let unit = self.numerator.bits() as i64 - self.denominator.bits() as i64 - 61;
        let up = |number: &BigUint, bits: i64| number << bits.max(0) as u64;
        let (over, under) = (up(&self.numerator, -unit), up(&self.denominator, unit));
        let quotient = &over / &under;
        let is_inexact = &quotient * &under != over;
        let quotient = u64::try_from(quotient).expect("it has at most 62 bits");
        let value = scaled(quotient << 1 | u64::from(is_inexact), unit - 1);
        if value == 0.0 {
            f64::from_bits(1)
        } else {
            value
        }
    }

    /// Returns the difference of two fractions; `None` if it is negative.
    fn minus(&self, other: &Self) -> Option<Self> {
        if self.denominator == other.denominator {
            return Some(Self {
                numerator: difference(&self.numerator, &other.numerator)?,
                denominator: self.denominator.clone(),
            });
        }
        let first = &self.numerator * &other.denominator;
        let second = &other.numerator * &self.denominator;
        Some(Self {
            numerator: difference(&first, &second)?,
            denominator: &self.denominator * &other.denominator,
        })
    }
}

/// Returns the nearest double of a fraction of two numbers that are doubles themselves.
fn small_quotient(over: u64, under: u64) -> Option<f64> {
    (over.max(under) <= EXACT).then(|| over as f64 / under as f64)
}

/// Returns the nearest double, as [`Ratio::to_double`].
pub(super) fn quotient(over: u64, under: u64) -> f64 {
    let exactly = || Ratio::new(over.into(), under.into()).to_double();
    small_quotient(over, under).unwrap_or_else(exactly)
}

fn difference(from: &BigUint, what: &BigUint) -> Option<BigUint> {
    (from >= what).then(|| from - what)
}

/// Returns `bits * 2^unit`, rounded to the nearest double, or to the even one of two.
fn scaled(bits: u64, unit: i64) -> f64 {
    let digits = i64::from(f64::MANTISSA_DIGITS);
    // The exponent of the least double above 0.
    let least = i64::from(f64::MIN_EXP) - digits;
    let length = i64::from(u64::BITS - bits.leading_zeros());
    let cut = (length - digits).max(least - unit).max(0);
    let kept = bits.checked_shr(cut as u32).unwrap_or(0);
    let rest = bits - kept.checked_shl(cut as u32).unwrap_or(0);
    // With nothing to cut, the shift is out of range.
    let half = 1_u64.checked_shl((cut - 1) as u32);
    let rounds_up = half.is_some_and(|half| rest > half || rest == half && kept % 2 == 1);
    let kept = (kept + u64::from(rounds_up)) as f64;
    // All factors are exact. Powers of 2 that are not normal are reached in two steps.
    let exponent = (unit + cut).min(2000) as i32;
    let normal = exponent.max(f64::MIN_EXP);
    kept * 2_f64.powi(normal) * 2_f64.powi(exponent - normal)
}

/// Returns what these fractions leave of 1; `None` if their numbers are too long to find out.
///
/// # Errors
/// Their sum is above 1.
pub(super) fn rest_of_one<'r>(
    fractions: impl IntoIterator<Item = &'r Ratio>,
) -> Result<Option<Ratio>, ()> {
    let mut rest = Ratio::new(1, 1);
    let mut steps = 0;
    for fraction in fractions {
        let words = |number: &BigUint| number.bits() / 64 + 1;
        steps += words(&rest.denominator) * words(&fraction.denominator);
        if steps > MAX_STEPS {
            return Ok(None);
        }
        rest = rest.minus(fraction).ok_or(())?;
    }
    Ok(Some(rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The denominator is a power of ten, so the standard library rounds the same number.
    fn decimal(numerator: u128, places: u32) -> (f64, f64) {
        let own = Ratio {
            numerator: numerator.into(),
            denominator: BigUint::from(10_u32).pow(places),
        };
        let text = format!("{numerator}e-{places}");
        (own.to_double(), text.parse().expect("a double"))
    }

    #[test]
    fn fractions_are_rounded_to_the_nearest_double() {
        for places in [0, 1, 30, 300, 310, 320, 323, 330] {
            for numerator in [1, 3, 5, 123_456_789_012_345_678_901, u128::MAX] {
                let (own, nearest) = decimal(numerator, places);
                let nearest = nearest.max(f64::from_bits(1));
                assert_eq!(own, nearest, "{numerator}e-{places}");
            }
        }
        // Two doubles are equally near: the even one is taken, unless there is a remainder.
        let half = u128::from(EXACT) * 4 + 4;
        assert_eq!(Ratio::new(half, 4).to_double(), EXACT as f64);
        let more = Ratio::new(half * EXACT as u128 + 1, 4 * u128::from(EXACT));
        assert_eq!(more.to_double(), (EXACT + 2) as f64);
        assert_eq!(Ratio::new(0, u128::MAX).to_double(), 0.0);
        let large = BigUint::from(10_u32).pow(400);
        let (over, under) = (Ratio::new(1, 1), Ratio::new(1, 1));
        let over = Ratio {
            numerator: large.clone(),
            ..over
        };
        let under = Ratio {
            denominator: large,
            ..under
        };
        assert_eq!(over.to_double(), f64::INFINITY);
        assert_eq!(under.to_double(), f64::from_bits(1));
    }

    proptest! {
        #[test]
        fn decimals_are_rounded_as_the_standard_library_does(
            numerator in 1..u128::MAX, shift in 0..128_u32, places in 0..370_u32,
        ) {
            let (own, nearest) = decimal(numerator >> shift | 1, places);
            prop_assert_eq!(own, nearest.max(f64::from_bits(1)));
        }
    }

    #[test]
    fn long_fractions_end_the_subtraction() {
        let long = |k: u32| Ratio {
            numerator: BigUint::from(1_u32),
            denominator: BigUint::from(10_u32).pow(30_000) + k,
        };
        let few: Vec<Ratio> = (1..3).map(long).collect();
        assert!(rest_of_one(&few).is_ok_and(|rest| rest.is_some()));
        let many: Vec<Ratio> = (1..300).map(long).collect();
        assert_eq!(rest_of_one(&many), Ok(None));
    }
}
