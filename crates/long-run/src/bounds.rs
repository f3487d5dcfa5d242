//! [`Bounds`]: bounds on numbers. Lower bounds are rounded down, and upper bounds up.

use num_rational::BigRational;
use num_traits::{Signed as _, ToPrimitive as _};
use std::cmp::Ordering;

/// A lower and an upper bound on a number.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bounds {
    /// The lower bound.
    pub lower: f64,
    /// The upper bound.
    pub upper: f64,
}

impl Bounds {
    /// Returns the nearest doubles on both sides of a rational number. If it is a double itself,
    /// both are equal.
    #[must_use]
    pub fn enclosing(value: &BigRational) -> Self {
        let nearest = value.to_f64().unwrap_or(f64::NAN);
        match BigRational::from_float(nearest).map(|nearest| nearest.cmp(value)) {
            Some(Ordering::Equal) => Self::exactly(nearest),
            Some(Ordering::Less) => Self {
                lower: nearest,
                upper: nearest.next_up(),
            },
            Some(Ordering::Greater) => Self {
                lower: nearest.next_down(),
                upper: nearest,
            },
            // The number is beyond all doubles.
            None if value.is_positive() => Self {
                lower: f64::MAX,
                upper: f64::INFINITY,
            },
            None => Self {
                lower: f64::NEG_INFINITY,
                upper: f64::MIN,
            },
        }
    }

    /// Returns the least lower bound and the greatest upper bound. `None` if there are no bounds.
    pub(crate) fn spanning(all: &[Self]) -> Option<Self> {
        all.iter().copied().reduce(|a, b| Self {
            lower: a.lower.min(b.lower),
            upper: a.upper.max(b.upper),
        })
    }

    /// Returns the closest bounds that follow from two pairs of bounds on a number.
    pub(crate) fn meet(self, other: Self) -> Self {
        Self {
            lower: self.lower.max(other.lower),
            upper: self.upper.min(other.upper),
        }
    }

    /// Returns the bounds on a known number.
    pub(crate) fn exactly(value: f64) -> Self {
        Self {
            lower: value,
            upper: value,
        }
    }

    /// Returns the distance of the bounds, rounded up.
    #[must_use]
    pub fn width(self) -> f64 {
        add_up(self.upper, -self.lower)
    }

    /// Returns the middle of the bounds.
    #[must_use]
    pub fn middle(self) -> f64 {
        self.lower / 2.0 + self.upper / 2.0
    }

    /// Returns the bounds on the negated number.
    pub(crate) fn negated(self) -> Self {
        Self {
            // The bounds are subtracted from 0, because the negation of 0 would be a negative 0.
            lower: 0.0 - self.upper,
            upper: 0.0 - self.lower,
        }
    }

    pub(crate) fn plus(self, other: Self) -> Self {
        Self {
            lower: add_down(self.lower, other.lower),
            upper: add_up(self.upper, other.upper),
        }
    }

    pub(crate) fn minus(self, other: Self) -> Self {
        self.plus(other.negated())
    }

    /// Returns the bounds on the product with a number above 0.
    pub(crate) fn times(self, factor: f64) -> Self {
        Self {
            lower: -multiply_up(factor, -self.lower),
            upper: multiply_up(factor, self.upper),
        }
    }

    /// Returns the bounds on the quotient by a number above 0.
    pub(crate) fn divided_by(self, divisor: Self) -> Self {
        Self {
            lower: -divide_up(-self.lower, divisor),
            upper: divide_up(self.upper, divisor),
        }
    }

    /// Returns the bounds on the maximum of two numbers.
    pub(crate) fn max(self, other: Self) -> Self {
        Self {
            lower: self.lower.max(other.lower),
            upper: self.upper.max(other.upper),
        }
    }
}

/// Returns a + b, rounded up. The error of the nearest double is a double, and is computed exactly
/// (Knuth).
#[inline]
pub(crate) fn add_up(a: f64, b: f64) -> f64 {
    let sum = a + b;
    let part = sum - a;
    let error = (a - (sum - part)) + (b - part);
    match error > 0.0 {
        true => sum.next_up(),
        false => sum,
    }
}

/// Returns a + b, rounded down.
#[inline]
pub(crate) fn add_down(a: f64, b: f64) -> f64 {
    -add_up(-a, -b)
}

/// Returns the product of a factor above 0 and a number, rounded up.
#[inline]
fn multiply_up(factor: f64, number: f64) -> f64 {
    match factor == 1.0 || number == 0.0 {
        true => number,
        false => (factor * number).next_up(),
    }
}

/// Returns the quotient of a number and a divisor above 0, rounded up.
#[inline]
fn divide_up(number: f64, divisor: Bounds) -> f64 {
    if divisor == Bounds::exactly(1.0) || number == 0.0 {
        return number;
    }
    let divisor = if number > 0.0 {
        divisor.lower
    } else {
        divisor.upper
    };
    (number / divisor).next_up()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rational_numbers_lie_between_doubles() {
        let ratio = |n: i64, d: i64| BigRational::new(n.into(), d.into());
        assert_eq!(Bounds::enclosing(&ratio(-3, 4)), Bounds::exactly(-0.75));
        for third in [ratio(1, 3), ratio(-1, 3)] {
            let Bounds { lower, upper } = Bounds::enclosing(&third);
            assert_eq!(lower.next_up(), upper);
            let of = |end| BigRational::from_float(end).expect("finite");
            assert!(of(lower) < third && third < of(upper));
        }
        let large = BigRational::from_float(f64::MAX).expect("finite") * ratio(4, 1);
        assert_eq!(Bounds::enclosing(&large).upper, f64::INFINITY);
        assert_eq!(Bounds::enclosing(&-large).lower, f64::NEG_INFINITY);
    }

    #[test]
    fn sums_are_rounded_away_only_if_they_are_not_exact() {
        assert_eq!(add_up(0.5, 0.25), 0.75);
        assert_eq!(add_down(0.5, 0.25), 0.75);
        // The sum of the doubles of 0.1 and 0.2 lies between two doubles.
        assert!(add_down(0.1, 0.2) < add_up(0.1, 0.2));
        assert_eq!(add_up(1.0, 1e-300), 1.0f64.next_up());
        assert_eq!(add_down(1.0, 1e-300), 1.0);
        assert_eq!(add_up(-1.0, 1e-300), (-1.0f64).next_up());
    }

    #[test]
    fn products_and_quotients_contain_the_number() {
        let third = Bounds::exactly(1.0).divided_by(Bounds::exactly(3.0));
        assert!(third.lower < third.upper && third.width() < 1e-15);
        let one = third.times(3.0);
        assert!(one.lower <= 1.0 && 1.0 <= one.upper);
        let negative = Bounds::exactly(-2.0).divided_by(Bounds {
            lower: 0.5,
            upper: 4.0,
        });
        assert!(negative.lower <= -4.0 && negative.upper >= -0.5);
        assert_eq!(Bounds::exactly(-3.0).times(1.0), Bounds::exactly(-3.0));
    }
}
