//! Elimination modulo a prime: equations that are sparse stay so where that is possible.
//!
//! The unknown that few equations have is eliminated first, by the shortest of them. This is
//! Markowitz's rule (*The elimination form of the inverse and its application to linear
//! programming*, 1957), with costs that may be out of date.

use super::equation::Equation;
use crate::context::Context;
use crate::error::Error;
use num_bigint::BigInt;
use num_integer::Integer as _;
use num_traits::ToPrimitive as _;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The prime 2^n - 1, for a number n that is not above 61.
#[derive(Clone, Copy)]
pub(super) struct Prime {
    bits: u32,
}

impl Prime {
    /// The primes to try. The first fails for systems whose determinant it divides.
    pub(super) const ALL: [Self; 2] = [Self { bits: 61 }, Self { bits: 31 }];

    pub(super) fn value(self) -> u64 {
        (1 << self.bits) - 1
    }

    /// Returns the remainder of a number.
    pub(super) fn of(self, number: &BigInt) -> u64 {
        let rest = number.mod_floor(&self.value().into());
        rest.to_u64().unwrap_or_default()
    }

    /// Returns the remainder of a product of remainders.
    #[inline]
    fn times(self, a: u64, b: u64) -> u64 {
        let product = u128::from(a) * u128::from(b);
        let prime = self.value();
        // 2^n is 1.
        let sum = (product as u64 & prime) + (product >> self.bits) as u64;
        let sum = (sum & prime) + (sum >> self.bits);
        if sum >= prime { sum - prime } else { sum }
    }

    #[inline]
    fn minus(self, a: u64, b: u64) -> u64 {
        if a >= b { a - b } else { a + self.value() - b }
    }

    /// Returns the inverse of a number, which is its power by the prime minus 2 (Fermat).
    fn inverse(self, number: u64) -> u64 {
        let (mut power, mut square, mut exponent) = (1, number, self.value() - 2);
        while exponent > 0 {
            if exponent % 2 == 1 {
                power = self.times(power, square);
            }
            square = self.times(square, square);
            exponent /= 2;
        }
        power
    }
}

/// The terms of an equation: unknowns, ascending, and coefficients that are not 0.
type Row = Vec<(u32, u64)>;

/// An equation that gives an unknown, when the unknowns after it are known.
struct Pivot {
    row: u32,
    unknown: u32,
    /// The inverse of its coefficient.
    inverse: u64,
    others: Row,
}

/// A step of the elimination: a multiple of one row is subtracted from another.
struct Step {
    from: u32,
    row: u32,
    factor: u64,
}

/// Equations that were eliminated, for any right sides.
pub(super) struct Elimination {
    prime: Prime,
    steps: Vec<Step>,
    pivots: Vec<Pivot>,
}

impl Elimination {
    /// Eliminates all unknowns. Returns `None` if there is not exactly one solution.
    pub(super) fn new(
        equations: &[Equation],
        prime: Prime,
        context: &Context<'_>,
    ) -> Result<Option<Self>, Error> {
        let mut system = System::new(equations, prime);
        let mut all = Self {
            prime,
            steps: Vec::new(),
            pivots: Vec::with_capacity(equations.len()),
        };
        let unknowns = 0..equations.len();
        let entries = unknowns.map(|unknown| Reverse((system.cost(unknown), unknown)));
        let mut heap: BinaryHeap<_> = entries.collect();
        while let Some(Reverse((before, unknown))) = heap.pop() {
            let now = system.cost(unknown);
            if now > before {
                heap.push(Reverse((now, unknown)));
                continue;
            }
            context.check()?;
            let Some(pivot) = system.eliminate(unknown, &mut all.steps) else {
                return Ok(None);
            };
            all.pivots.push(pivot);
        }
        Ok(Some(all))
    }

    /// Returns the solution for these right sides.
    pub(super) fn solve(&self, mut right: Vec<u64>) -> Vec<u64> {
        let prime = self.prime;
        for step in &self.steps {
            let less = prime.times(step.factor, right[step.row as usize]);
            let from = &mut right[step.from as usize];
            *from = prime.minus(*from, less);
        }
        let mut values = vec![0; right.len()];
        for pivot in self.pivots.iter().rev() {
            let mut rest = right[pivot.row as usize];
            for &(unknown, coefficient) in &pivot.others {
                let known = prime.times(coefficient, values[unknown as usize]);
                rest = prime.minus(rest, known);
            }
            values[pivot.unknown as usize] = prime.times(rest, pivot.inverse);
        }
        values
    }

    pub(super) fn prime(&self) -> Prime {
        self.prime
    }
}

/// The equations that are left.
struct System {
    prime: Prime,
    rows: Vec<Row>,
    is_used: Vec<bool>,
    /// The rows that have each unknown, and perhaps others.
    having: Vec<Vec<u32>>,
}

impl System {
    fn new(equations: &[Equation], prime: Prime) -> Self {
        let mut having = vec![Vec::new(); equations.len()];
        let row = |equation: &Equation| -> Row {
            let terms = equation
                .terms()
                .map(|(unknown, coefficient)| (unknown as u32, prime.of(coefficient)));
            terms.filter(|&(_, coefficient)| coefficient > 0).collect()
        };
        let rows: Vec<Row> = equations.iter().map(row).collect();
        for (number, row) in (0..).zip(&rows) {
            for &(unknown, _) in row {
                having[unknown as usize].push(number);
            }
        }
        Self {
            prime,
            is_used: vec![false; rows.len()],
            rows,
            having,
        }
    }

    /// Returns the coefficient of an unknown in a row that is left.
    fn coefficient(&self, row: u32, unknown: usize) -> Option<u64> {
        let terms = &self.rows[row as usize];
        let place = terms.binary_search_by_key(&(unknown as u32), |&(other, _)| other);
        place.ok().map(|place| terms[place].1)
    }

    /// Returns the number of terms that eliminating an unknown changes, at most.
    fn cost(&mut self, unknown: usize) -> usize {
        let mut having = std::mem::take(&mut self.having[unknown]);
        having.sort_unstable();
        having.dedup();
        having
            .retain(|&row| !self.is_used[row as usize] && self.coefficient(row, unknown).is_some());
        let lengths = having.iter().map(|&row| self.rows[row as usize].len());
        let shortest = lengths.min().unwrap_or_default();
        let cost = having.len().saturating_sub(1) * shortest.saturating_sub(1);
        self.having[unknown] = having;
        cost
    }

    /// Eliminates an unknown, whose cost was computed last, from all rows but one.
    fn eliminate(&mut self, unknown: usize, steps: &mut Vec<Step>) -> Option<Pivot> {
        let having = std::mem::take(&mut self.having[unknown]);
        let length = |&&row: &&u32| self.rows[row as usize].len();
        let &row = having.iter().min_by_key(length)?;
        let inverse = self.prime.inverse(self.coefficient(row, unknown)?);
        self.is_used[row as usize] = true;
        let mut others = std::mem::take(&mut self.rows[row as usize]);
        others.retain(|&(other, _)| other as usize != unknown);
        for from in having.into_iter().filter(|&from| from != row) {
            let coefficient = self.coefficient(from, unknown)?;
            let factor = self.prime.times(coefficient, inverse);
            self.subtract(from, unknown, &others, factor);
            steps.push(Step { from, row, factor });
        }
        Some(Pivot {
            row,
            unknown: unknown as u32,
            inverse,
            others,
        })
    }

    /// Subtracts a multiple of terms from a row, and removes an unknown from it.
    fn subtract(&mut self, from: u32, unknown: usize, others: &[(u32, u64)], factor: u64) {
        let before = std::mem::take(&mut self.rows[from as usize]);
        let mut after = Row::with_capacity(before.len() + others.len());
        let mut own = before.into_iter().peekable();
        for &(other, coefficient) in others {
            let is_before = |&(own, _): &(u32, u64)| own < other;
            while let Some(term) = own.next_if(is_before) {
                after.push(term);
            }
            let less = self.prime.times(factor, coefficient);
            let known = own.next_if(|&(own, _)| own == other);
            if known.is_none() {
                self.having[other as usize].push(from);
            }
            let rest = self.prime.minus(known.map_or(0, |(_, known)| known), less);
            if rest > 0 {
                after.push((other, rest));
            }
        }
        after.extend(own);
        after.retain(|&(own, _)| own as usize != unknown);
        self.rows[from as usize] = after;
    }
}
