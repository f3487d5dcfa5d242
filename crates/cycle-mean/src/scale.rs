//! Converts fractions and decimals to integers, without rounding: all weights are multiplied by the
//! same number.

use crate::Ratio;

/// A number by which fractions are multiplied to become integers: their least common denominator.
///
/// ```
/// use cycle_mean::{Ratio, Scale};
///
/// let (tenth, third) = (Ratio::from_decimal(0.1)?, Ratio::new(1, 3));
/// let mut scale = Scale::default();
/// scale.include(tenth)?;
/// scale.include(third)?;
/// assert_eq!(scale.factor(), 30);
/// assert_eq!([scale.apply(tenth)?, scale.apply(third)?], [3, 10]);
/// # Ok::<(), cycle_mean::ScaleError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scale {
    factor: u64,
}

impl Default for Scale {
    fn default() -> Self {
        Self { factor: 1 }
    }
}

/// The reason for which a number cannot be converted to an integer.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ScaleError {
    /// The number is infinite, or not a number.
    #[error("{0} is not a finite number")]
    NotFinite(f64),
    /// The number has too many digits for a fraction of 64 bits.
    #[error("{0:e} has too many digits to compute with exactly")]
    TooFine(f64),
    /// The least common denominator does not fit 64 bits.
    #[error("the fractions have no common denominator below 2^64")]
    NoCommonDenominator,
    /// The scaled number does not fit 64 bits.
    #[error("{0} is too large: multiplied by {1}, the common denominator, it does not fit 64 bits")]
    TooLarge(Ratio, u64),
}

impl Scale {
    /// Extends the scale so that a fraction becomes an integer.
    ///
    /// # Errors
    /// [`ScaleError::NoCommonDenominator`].
    pub fn include(&mut self, value: Ratio) -> Result<(), ScaleError> {
        let denominator = value.denominator();
        if !self.factor.is_multiple_of(denominator) {
            let common = crate::ratio::gcd(self.factor.into(), denominator.into()) as u64;
            let factor = self.factor.checked_mul(denominator / common);
            self.factor = factor.ok_or(ScaleError::NoCommonDenominator)?;
        }
        Ok(())
    }

    /// Returns the number by which fractions are multiplied.
    #[must_use]
    pub fn factor(self) -> u64 {
        self.factor
    }

    /// Converts a fraction that was included to an integer.
    ///
    /// # Errors
    /// [`ScaleError::TooLarge`].
    pub fn apply(self, value: Ratio) -> Result<i64, ScaleError> {
        let scaled = value.times(self.factor).map(Ratio::numerator);
        let scaled = scaled.and_then(|scaled| i64::try_from(scaled).ok());
        scaled.ok_or(ScaleError::TooLarge(value, self.factor))
    }
}

impl Ratio {
    /// Returns the decimal fraction for a double: the shortest one to which this double is nearest,
    /// as it is printed. So the double of 0.1 is 1/10.
    ///
    /// # Errors
    /// [`ScaleError::NotFinite`] and [`ScaleError::TooFine`].
    pub fn from_decimal(value: f64) -> Result<Self, ScaleError> {
        /// Integers below this are exact as doubles.
        const WHOLE: f64 = (1u64 << 53) as f64;
        if value.trunc() == value && value.abs() < WHOLE {
            return Ok(Self::new(value as i128, 1));
        }
        if !value.is_finite() {
            return Err(ScaleError::NotFinite(value));
        }
        let too_fine = ScaleError::TooFine(value);
        let text = format!("{value:e}");
        let (mantissa, exponent) = text.split_once('e').ok_or(too_fine)?;
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits = format!("{whole}{fraction}").parse::<i128>();
        let exponent = exponent.parse::<i32>().map_err(|_| too_fine)? - fraction.len() as i32;
        let digits = digits.map_err(|_| too_fine)?;
        let power = exponent.unsigned_abs();
        if exponent >= 0 {
            let scaled = 10i128
                .checked_pow(power)
                .and_then(|p| digits.checked_mul(p));
            return scaled.map(|n| Self::new(n, 1)).ok_or(too_fine);
        }
        // The power of ten may be too large although the fraction in lowest terms is not.
        let denominator = 10u128.checked_pow(power).ok_or(too_fine)?;
        let common = crate::ratio::gcd(digits.unsigned_abs(), denominator);
        let denominator = u64::try_from(denominator / common).map_err(|_| too_fine)?;
        Ok(Self::new(digits / common as i128, denominator))
    }
}

#[cfg(test)]
mod tests {
    use super::{Ratio, Scale, ScaleError};

    #[test]
    fn doubles_are_the_decimals_that_are_printed_for_them() {
        let ratio = |value| {
            Ratio::from_decimal(value)
                .expect("it is a fraction")
                .to_string()
        };
        assert_eq!(ratio(0.1), "1/10");
        assert_eq!(ratio(-2.5e-3), "-1/400");
        assert_eq!(ratio(3e20), "300000000000000000000");
        assert_eq!(ratio(-0.0), "0");
        assert_eq!(
            ratio(0.333_333_333_333_333_3),
            "3333333333333333/10000000000000000"
        );
    }

    #[test]
    fn rewards_that_do_not_fit_are_refused() {
        let message = |value| {
            Ratio::from_decimal(value)
                .expect_err("it is refused")
                .to_string()
        };
        assert_eq!(message(f64::INFINITY), "inf is not a finite number");
        let fine = "1.5e-30 has too many digits to compute with exactly";
        assert_eq!(message(1.5e-30), fine);
        let mut scale = Scale::default();
        assert_eq!(scale.include(Ratio::new(1, 1 << 40)), Ok(()));
        let third = Ratio::new(1, 3u64.pow(30));
        assert_eq!(scale.include(third), Err(ScaleError::NoCommonDenominator));
        let large = scale
            .apply(Ratio::new(1 << 30, 1))
            .expect_err("it is refused");
        assert_eq!(
            large.to_string(),
            "1073741824 is too large: multiplied by 1099511627776, the common denominator, it does \
             not fit 64 bits"
        );
    }
}
