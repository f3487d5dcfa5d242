//! [`Wide`]: numbers with the digits of doubles, and with exponents that cannot overflow.

/// A number that is not negative: `digits` times two to the power of `exponent`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Wide {
    /// 0, or at least 1 and below 2.
    digits: f64,
    exponent: i64,
}

impl Wide {
    pub(crate) const ONE: Self = Self {
        digits: 1.0,
        exponent: 0,
    };

    /// Makes a number from a double times two to the power of `exponent`. The double must be 0 or
    /// normal, and not negative.
    fn new(double: f64, exponent: i64) -> Self {
        const DIGITS: u64 = (1 << 52) - 1;
        if double < f64::MIN_POSITIVE {
            return Self::default();
        }
        let bits = double.to_bits();
        Self {
            digits: f64::from_bits(bits & DIGITS | 1023 << 52),
            exponent: exponent + (bits >> 52) as i64 - 1023,
        }
    }

    /// Returns the product with a double that is 0 or normal, rounded once.
    pub(crate) fn times(self, factor: f64) -> Self {
        Self::new(self.digits * factor, self.exponent)
    }

    /// Returns the quotient by a normal double, rounded once.
    pub(crate) fn divided_by(self, divisor: f64) -> Self {
        Self::new(self.digits / divisor, self.exponent)
    }

    /// Returns the sum, rounded once.
    pub(crate) fn plus(self, other: Self) -> Self {
        let (most, least) = match other.exceeds(self) {
            true => (other, self),
            false => (self, other),
        };
        Self::new(most.digits + least.in_units_of(most), most.exponent)
    }

    /// Returns the quotient by two to the power of the exponent of `unit`, which must not be less
    /// than this number. The quotient is 0 if it is below 2^-1000.
    pub(crate) fn in_units_of(self, unit: Self) -> f64 {
        let below = unit.exponent - self.exponent;
        match self.digits > 0.0 && below <= 1000 {
            // These are the bits of two to the power of -below.
            true => self.digits * f64::from_bits(((1023 - below) as u64) << 52),
            false => 0.0,
        }
    }

    /// Returns whether the number is greater than another one.
    pub(crate) fn exceeds(self, other: Self) -> bool {
        let key = |of: Self| (of.digits > 0.0, of.exponent);
        match key(self) == key(other) {
            true => self.digits > other.digits,
            false => key(self) > key(other),
        }
    }
}
