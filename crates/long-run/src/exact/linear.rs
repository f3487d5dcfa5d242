//! Systems of linear equations with integer coefficients, by p-adic lifting.
//!
//! The system A x = b is solved modulo a prime p, which gives the last digit of x in base p. The
//! same elimination gives the digit before it, as the solution for (b - A x) / p, and so on (J. D.
//! Dixon, *Exact solution of linear equations using p-adic expansions*, 1982). Rational numbers
//! follow from their remainders modulo a power of p by Euclid's algorithm (P. S. Wang, 1981). They
//! are checked in the equations. If they are right, no other numbers are, because the solution
//! modulo p is the only one.
//!
//! So numbers with many digits occur only in the result, and not while equations are eliminated.

use super::equation::Equation;
use super::modular::{Elimination, Prime};
use crate::context::Context;
use crate::error::Error;
use num_bigint::BigInt;
use num_integer::Integer as _;
use num_traits::{One as _, Signed as _, Zero as _};

/// The number of digits after which a result is tried for the first time.
const FIRST_DIGITS: usize = 2;

/// A solution: fractions with a common denominator, which is above 0.
pub(super) struct Solution {
    pub(super) numerators: Vec<BigInt>,
    pub(super) denominator: BigInt,
}

impl Solution {
    fn solves(&self, equation: &Equation) -> bool {
        let terms = equation.terms();
        let sum: BigInt = terms
            .map(|(unknown, coefficient)| coefficient * &self.numerators[unknown])
            .sum();
        sum == equation.right() * &self.denominator
    }
}

/// Solves a system of as many equations as unknowns.
///
/// # Errors
/// [`Error::Singular`] unless there is exactly one solution; [`Error::Cancelled`].
pub(super) fn solve(equations: &[Equation], context: &Context<'_>) -> Result<Solution, Error> {
    for prime in Prime::ALL {
        if let Some(elimination) = Elimination::new(equations, prime, context)? {
            return lift(equations, &elimination, context);
        }
    }
    Err(Error::Singular)
}

/// Computes digits until they are enough.
fn lift(
    equations: &[Equation],
    elimination: &Elimination,
    context: &Context<'_>,
) -> Result<Solution, Error> {
    let prime = elimination.prime();
    let base = BigInt::from(prime.value());
    let rights = equations.iter().map(|equation| equation.right().clone());
    let mut rests: Vec<BigInt> = rights.collect();
    let mut digits: Vec<Vec<u64>> = Vec::new();
    let mut next = FIRST_DIGITS;
    loop {
        context.check()?;
        let digit = elimination.solve(rests.iter().map(|rest| prime.of(rest)).collect());
        for (rest, equation) in rests.iter_mut().zip(equations) {
            for (unknown, coefficient) in equation.terms() {
                *rest -= coefficient * digit[unknown];
            }
            // The remainder is 0.
            *rest /= &base;
        }
        digits.push(digit);
        if digits.len() == next {
            let solution = fractions(&digits, &base);
            let right = solution.filter(|found| equations.iter().all(|of| found.solves(of)));
            if let Some(solution) = right {
                return Ok(solution);
            }
            next += next.div_ceil(2);
        }
    }
}

/// Returns the fractions with these digits, the last first, whose numbers are small. `None` if
/// there are no such fractions.
fn fractions(digits: &[Vec<u64>], base: &BigInt) -> Option<Solution> {
    let modulus = base.pow(digits.len() as u32);
    let most = (&modulus >> 1u32).sqrt();
    let mut solution = Solution {
        numerators: Vec::new(),
        denominator: BigInt::one(),
    };
    for unknown in 0..digits[0].len() {
        let of = digits.iter().rev().map(|digits| digits[unknown]);
        let value = of.fold(BigInt::zero(), |value, digit| value * base + digit);
        let scaled = (value * &solution.denominator).mod_floor(&modulus);
        let negative = &scaled - &modulus;
        let numerator = match (scaled <= most, -&negative <= most) {
            (true, _) => scaled,
            (_, true) => negative,
            _ => {
                let (over, under) = fraction(scaled, &modulus, &most)?;
                solution.denominator *= &under;
                solution.numerators.iter_mut().for_each(|n| *n *= &under);
                over
            }
        };
        if solution.denominator > most {
            return None;
        }
        solution.numerators.push(numerator);
    }
    Some(solution)
}

/// Returns the fraction with this remainder whose numbers are at most `most`, if there is one.
fn fraction(value: BigInt, modulus: &BigInt, most: &BigInt) -> Option<(BigInt, BigInt)> {
    let (mut before, mut over) = (modulus.clone(), value);
    let (mut factor, mut under) = (BigInt::zero(), BigInt::one());
    while over > *most {
        let (quotient, rest) = before.div_rem(&over);
        (before, over) = (over, rest);
        let next = factor - quotient * &under;
        (factor, under) = (under, next);
    }
    if under.is_negative() {
        (over, under) = (-over, -under);
    }
    (under <= *most).then_some((over, under))
}

#[cfg(test)]
mod tests {
    use super::solve;
    use crate::context::Context;
    use crate::error::Error;
    use crate::exact::equation::Equation;
    use decompose::Silent;
    use mdp_graph::Objective;
    use num_bigint::BigInt;
    use num_rational::BigRational;

    const CONTEXT: Context<'_> = Context {
        observer: &Silent,
        objective: Objective::Max,
        max_iterations: 0,
    };

    fn equation(terms: &[i64], right: i64) -> Equation {
        let mut equation = Equation::new(right.into());
        for (unknown, &term) in terms.iter().enumerate() {
            equation.add(unknown, &term.into());
        }
        equation
    }

    fn solved(equations: &[Equation]) -> Result<Vec<String>, Error> {
        let solution = solve(equations, &CONTEXT)?;
        let of = |n| BigRational::new(n, solution.denominator.clone()).to_string();
        Ok(solution.numerators.into_iter().map(of).collect())
    }

    #[test]
    fn solutions_are_exact() {
        let all = [
            equation(&[0, 2, 3], 1),
            equation(&[5, -7, 0], 2),
            equation(&[1, 1, 1], i64::MAX),
        ];
        let expected = [
            "96845406386975145971/13",
            "69175290276410818547/13",
            "-46116860184273879027/13",
        ];
        let found = solved(&all).expect("a solution");
        assert_eq!(found, expected);
        assert_eq!(solved(&[]), Ok(Vec::new()));
    }

    #[test]
    fn another_prime_is_tried() {
        let prime = (1i64 << 61) - 1;
        assert_eq!(
            solved(&[equation(&[prime], 3)]),
            Ok(vec![format!("3/{prime}")])
        );
    }

    #[test]
    fn systems_without_one_solution_are_refused() {
        let same = [equation(&[1, 2], 3), equation(&[2, 4], 6)];
        assert_eq!(solved(&same), Err(Error::Singular));
        assert_eq!(solved(&[equation(&[0], 0)]), Err(Error::Singular));
    }

    /// The number of digits of each value grows with the number of equations.
    #[test]
    fn long_fractions_are_found() {
        let count = 60;
        let mut all = vec![equation(&[7], 1)];
        for unknown in 1..count {
            let mut next = Equation::new(BigInt::from(1));
            next.add(unknown, &BigInt::from(1_000_003));
            next.add(unknown - 1, &BigInt::from(-2));
            all.push(next);
        }
        let found = solve(&all, &CONTEXT).expect("a solution");
        let mut value = BigRational::new(1.into(), 7.into());
        for numerator in &found.numerators[1..] {
            value = (value * BigInt::from(2) + BigInt::from(1)) / BigInt::from(1_000_003);
            let own = BigRational::new(numerator.clone(), found.denominator.clone());
            assert_eq!(own, value);
        }
    }
}
