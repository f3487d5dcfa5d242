//! [`Equation`]: a linear equation with integer coefficients.

use num_bigint::BigInt;
use num_traits::Zero as _;
use std::collections::BTreeMap;

/// An equation: its coefficients that are not 0, by unknown, and its right side.
#[derive(Clone, Debug)]
pub(super) struct Equation {
    terms: BTreeMap<usize, BigInt>,
    right: BigInt,
}

impl Equation {
    /// Makes an equation without unknowns.
    pub(super) fn new(right: BigInt) -> Self {
        Self {
            terms: BTreeMap::new(),
            right,
        }
    }

    /// Adds a number to the coefficient of an unknown.
    pub(super) fn add(&mut self, unknown: usize, coefficient: &BigInt) {
        let term = self.terms.entry(unknown).or_insert_with(BigInt::zero);
        *term += coefficient;
        if term.is_zero() {
            self.terms.remove(&unknown);
        }
    }

    pub(super) fn right(&self) -> &BigInt {
        &self.right
    }

    /// Returns the unknowns, ascending, and their coefficients.
    pub(super) fn terms(&self) -> impl Iterator<Item = (usize, &BigInt)> {
        let all = self.terms.iter();
        all.map(|(&unknown, coefficient)| (unknown, coefficient))
    }
}
