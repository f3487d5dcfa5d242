//! [`Precision`]: how close the bounds on an average have to be.

use crate::bounds::Bounds;
use mdp_graph::StateId;

/// Bounds that differ by less are close enough for any relative precision. Products of smaller
/// numbers may not be normal doubles, which have fewer digits.
const TINY: f64 = 1e-100;

/// The states whose bounds have to be close, and how close.
#[derive(Clone, Copy)]
pub(crate) struct Wanted<'a> {
    pub(crate) states: &'a [StateId],
    pub(crate) precision: Precision,
}

/// How close the bounds on an average have to be: an absolute distance, and a part of the average.
/// Both are infinite unless they are asked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Precision {
    absolute: f64,
    relative: f64,
}

impl Precision {
    /// Bounds differ by at most `epsilon`.
    pub(crate) fn absolute(epsilon: f64) -> Self {
        Self {
            absolute: epsilon,
            relative: f64::INFINITY,
        }
    }

    /// Bounds differ by at most `epsilon` times each number between them, or by less than `TINY`.
    pub(crate) fn relative(epsilon: f64) -> Self {
        Self {
            absolute: f64::INFINITY,
            relative: epsilon,
        }
    }

    /// Returns the precision that requires both this one and that bounds differ by at most
    /// `epsilon`.
    pub(crate) fn and_absolute(self, epsilon: f64) -> Self {
        Self {
            absolute: self.absolute.min(epsilon),
            ..self
        }
    }

    /// Returns half of it.
    pub(crate) fn half(self) -> Self {
        Self {
            absolute: self.absolute / 2.0,
            relative: self.relative / 2.0,
        }
    }

    pub(crate) fn is_relative(self) -> bool {
        self.relative < f64::INFINITY
    }

    /// Returns the number that the user asks for.
    pub(crate) fn epsilon(self) -> f64 {
        match self.is_relative() {
            true => self.relative,
            false => self.absolute,
        }
    }

    /// Returns how far apart bounds may be that are here.
    pub(crate) fn distance(self, bounds: Bounds) -> f64 {
        if !self.is_relative() {
            return self.absolute;
        }
        let distance = (self.relative * least_magnitude(bounds)).next_down();
        self.absolute.min(distance.max(TINY))
    }

    /// Returns whether bounds are close enough.
    pub(crate) fn allows(self, bounds: Bounds) -> bool {
        bounds.width() <= self.distance(bounds)
    }
}

/// Returns the least absolute value between bounds.
fn least_magnitude(bounds: Bounds) -> f64 {
    bounds.lower.max(0.0 - bounds.upper).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_relative_distance_is_a_part_of_the_number_that_is_closest_to_zero() {
        let tenth = Precision::relative(0.1);
        let allows = |lower, upper| tenth.allows(Bounds { lower, upper });
        assert!(allows(10.0, 10.5) && allows(-10.5, -10.0));
        assert!(!allows(10.0, 11.5) && !allows(-11.5, -10.0));
        assert!(allows(1e-90, 1.05e-90) && !allows(1e-90, 1.2e-90));
        // Both ends are near 0, but they say nothing about the number.
        assert!(!allows(-1e-9, 1e-9) && !allows(0.0, 1e-99) && !allows(-1e-99, 0.0));
        assert!(allows(0.0, 0.0) && allows(-1e-101, 1e-101));
        let both = tenth.and_absolute(1e-3);
        assert!(!both.allows(Bounds {
            lower: 10.0,
            upper: 10.5
        }));
    }
}
