//! [`Ratio`]: an exact fraction, the weight of a cycle over its length or its time.

use std::cmp::Ordering;
use std::fmt;

/// A fraction in lowest terms, with a denominator above 0.
///
/// ```
/// use cycle_mean::Ratio;
///
/// let third = Ratio::new(2, 6);
/// assert_eq!(third.to_string(), "1/3");
/// assert_eq!(third.decimal(4), "0.3333");
/// assert!(Ratio::new(-1, 2) < third);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ratio {
    numerator: i128,
    denominator: u64,
}

impl Ratio {
    /// Makes the fraction `numerator / denominator`, in lowest terms.
    ///
    /// # Panics
    /// Panics if the denominator is 0.
    #[must_use]
    pub fn new(numerator: i128, denominator: u64) -> Self {
        assert!(denominator > 0, "a fraction has a denominator above 0");
        let divisor = gcd(numerator.unsigned_abs(), u128::from(denominator));
        // It divides the denominator, so that it fits 64 bits.
        Self {
            numerator: numerator / divisor as i128,
            denominator: denominator / divisor as u64,
        }
    }

    /// Returns the numerator.
    #[must_use]
    pub fn numerator(self) -> i128 {
        self.numerator
    }

    /// Returns the denominator, which is at least 1.
    #[must_use]
    pub fn denominator(self) -> u64 {
        self.denominator
    }

    /// Returns the nearest double, or one next to it.
    #[must_use]
    pub fn to_f64(self) -> f64 {
        self.numerator as f64 / self.denominator as f64
    }

    /// Formats the fraction as a decimal with at most this many digits after the point, rounded
    /// towards 0, without zeros at the end.
    #[must_use]
    pub fn decimal(self, digits: usize) -> String {
        let denominator = u128::from(self.denominator);
        let magnitude = self.numerator.unsigned_abs();
        let mut text = format!("{}", magnitude / denominator);
        let mut rest = magnitude % denominator;
        let mut fraction = String::new();
        while rest > 0 && fraction.len() < digits {
            // The rest is below 2^64.
            rest *= 10;
            fraction.push(char::from(b'0' + (rest / denominator) as u8));
            rest %= denominator;
        }
        let fraction = fraction.trim_end_matches('0');
        if !fraction.is_empty() {
            text.push('.');
            text.push_str(fraction);
        }
        let is_zero = text == "0";
        match self.numerator < 0 && !is_zero {
            true => format!("-{text}"),
            false => text,
        }
    }

    /// Returns the fraction with the opposite sign.
    #[must_use]
    pub fn negated(self) -> Self {
        Self {
            numerator: -self.numerator,
            ..self
        }
    }

    /// Divides by an integer above 0. Returns `None` if the result does not fit.
    #[must_use]
    pub fn divided_by(self, divisor: u64) -> Option<Self> {
        let common = gcd(self.numerator.unsigned_abs(), u128::from(divisor)).max(1);
        let numerator = self.numerator / common as i128;
        let denominator = self
            .denominator
            .checked_mul(divisor / common as u64)
            .filter(|&denominator| denominator > 0)?;
        Some(Self::new(numerator, denominator))
    }

    /// Multiplies by an integer. Returns `None` if the result does not fit.
    #[must_use]
    pub fn times(self, factor: u64) -> Option<Self> {
        let common = gcd(u128::from(factor), u128::from(self.denominator)).max(1) as u64;
        let numerator = self.numerator.checked_mul(i128::from(factor / common))?;
        Some(Self::new(numerator, self.denominator / common))
    }
}

impl fmt::Display for Ratio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.denominator {
            1 => write!(f, "{}", self.numerator),
            denominator => write!(f, "{}/{denominator}", self.numerator),
        }
    }
}

impl Ord for Ratio {
    fn cmp(&self, other: &Self) -> Ordering {
        let (a, b) = (i128::from(self.denominator), i128::from(other.denominator));
        let whole = |ratio: &Self, denominator| ratio.numerator.div_euclid(denominator);
        // The integer parts are compared first. The remainders are below 2^64, so their products
        // fit.
        whole(self, a).cmp(&whole(other, b)).then_with(|| {
            let (left, right) = (self.numerator.rem_euclid(a), other.numerator.rem_euclid(b));
            (left as u128 * b as u128).cmp(&(right as u128 * a as u128))
        })
    }
}

impl PartialOrd for Ratio {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Returns the greatest common divisor.
pub(crate) fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b > 0 {
        // Divisions of 128 bits are slow, and most numbers are small.
        if let (Ok(a), Ok(b)) = (u64::try_from(a), u64::try_from(b)) {
            return small_gcd(a, b).into();
        }
        (a, b) = (b, a % b);
    }
    a
}

fn small_gcd(mut a: u64, mut b: u64) -> u64 {
    // Integers need no division at all.
    while b > 1 {
        (a, b) = (b, a % b);
    }
    if b == 1 { 1 } else { a }
}

#[cfg(test)]
mod tests {
    use super::{Ratio, gcd};

    #[test]
    fn fractions_are_in_lowest_terms() {
        assert_eq!(Ratio::new(-4, 6).to_string(), "-2/3");
        assert_eq!(Ratio::new(0, 6).to_string(), "0");
        assert_eq!(Ratio::new(6, 3), Ratio::new(2, 1));
    }

    #[test]
    fn decimals_are_truncated() {
        let decimal = |n, d, digits| Ratio::new(n, d).decimal(digits);
        assert_eq!(decimal(-2, 3, 3), "-0.666");
        assert_eq!(decimal(5, 4, 6), "1.25");
        assert_eq!(decimal(7, 1, 6), "7");
        assert_eq!(decimal(-1, 1000, 2), "0");
        assert_eq!(decimal(1, u64::MAX, 30), "0.000000000000000000054210108624");
    }

    #[test]
    fn the_order_is_that_of_the_numbers_however_large() {
        let large = Ratio::new(i128::MAX, 3);
        assert!(large > Ratio::new(i128::MAX - 1, 3));
        assert!(Ratio::new(i128::MIN + 1, u64::MAX) < Ratio::new(-1, u64::MAX));
        assert!(Ratio::new(-1, 3) > Ratio::new(-1, 2));
        assert_eq!(
            Ratio::new(2, 4).cmp(&Ratio::new(1, 2)),
            std::cmp::Ordering::Equal
        );
    }

    #[test]
    fn divisors_of_all_sizes_are_found() {
        let large = u128::from(u64::MAX) + 1;
        for (a, b, divisor) in [
            (0, 0, 0),
            (0, 7, 7),
            (7, 0, 7),
            (1, 12, 1),
            (12, 1, 1),
            (12, 18, 6),
            (large, 12, 4),
            (12, large, 4),
            (3 * large, 2 * large, large),
            (large + 1, large, 1),
            (u128::MAX, u128::MAX, u128::MAX),
        ] {
            assert_eq!(gcd(a, b), divisor, "{a} and {b}");
        }
    }

    #[test]
    fn scaling_back_is_exact() {
        assert_eq!(Ratio::new(10, 3).divided_by(100), Some(Ratio::new(1, 30)));
        assert_eq!(Ratio::new(10, 3).divided_by(0), None);
        assert_eq!(Ratio::new(1, u64::MAX).divided_by(2), None);
        assert_eq!(Ratio::new(7, 30).times(100), Some(Ratio::new(70, 3)));
        assert_eq!(Ratio::new(i128::MAX, 1).times(2), None);
    }
}
