//! Systems of linear equations with rational coefficients, by elimination.

use crate::control::Control;
use crate::error::Error;
use num_rational::BigRational;
use num_traits::Zero as _;
use std::collections::BTreeMap;

/// An equation: its coefficients that are not 0, by unknown, and its right side.
#[derive(Clone, Debug)]
pub(super) struct Equation {
    terms: BTreeMap<usize, BigRational>,
    right: BigRational,
}

impl Equation {
    /// Makes an equation without unknowns.
    pub(super) fn new(right: BigRational) -> Self {
        Self {
            terms: BTreeMap::new(),
            right,
        }
    }

    /// Adds a number to the coefficient of an unknown.
    pub(super) fn add(&mut self, unknown: usize, coefficient: &BigRational) {
        let term = self.terms.entry(unknown).or_insert_with(BigRational::zero);
        *term += coefficient;
        if term.is_zero() {
            self.terms.remove(&unknown);
        }
    }

    /// Subtracts a multiple of another equation, which has the unknown, to remove this unknown.
    fn eliminate(&mut self, unknown: usize, other: &Self) {
        let Some(own) = self.terms.get(&unknown) else {
            return;
        };
        let factor = -(own / &other.terms[&unknown]);
        for (&unknown, coefficient) in &other.terms {
            self.add(unknown, &(coefficient * &factor));
        }
        self.right += &other.right * &factor;
    }
}

/// Solves a system of as many equations as unknowns.
///
/// The shortest equation with the next unknown removes it from the others, so that these grow
/// little.
///
/// # Errors
/// [`Error::Singular`] unless there is exactly one solution; [`Error::Cancelled`].
pub(super) fn solve(
    mut equations: Vec<Equation>,
    control: &Control<'_>,
) -> Result<Vec<BigRational>, Error> {
    let unknowns = equations.len();
    let mut solved: Vec<Equation> = Vec::with_capacity(unknowns);
    for unknown in 0..unknowns {
        control.check()?;
        let having = (0..equations.len()).filter(|&at| equations[at].terms.contains_key(&unknown));
        let shortest = having.min_by_key(|&at| equations[at].terms.len());
        let pivot = equations.swap_remove(shortest.ok_or(Error::Singular)?);
        for equation in &mut equations {
            equation.eliminate(unknown, &pivot);
        }
        solved.push(pivot);
    }
    // The last equation has only the last unknown. Each value can be computed from those after it.
    let mut values = vec![BigRational::zero(); unknowns];
    for (unknown, equation) in solved.iter().enumerate().rev() {
        let behind = equation.terms.range(unknown + 1..);
        let known: BigRational = behind.map(|(&other, term)| term * &values[other]).sum();
        values[unknown] = (&equation.right - known) / &equation.terms[&unknown];
    }
    Ok(values)
}
