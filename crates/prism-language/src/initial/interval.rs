//! Interval arithmetic: bounds on the result of an operation, from bounds on its operands.
//!
//! Bounds may be wider than necessary. Operations on floating-point numbers round monotonically, so
//! that the results at the ends bound those between them; powers and logarithms of such numbers are
//! not bounded.

use crate::arith::{self, Binary, Bits, Comparison, Unary, of_double, of_int, to_double, to_int};
use crate::ast::Type;
use crate::ir::{Id, Op};

/// The least and the greatest value of an expression.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Range {
    /// Integers, or truth values (0 and 1).
    Ints(i64, i64),
    /// Finite floating-point numbers.
    Doubles(f64, f64),
    /// Any floating-point value, maybe infinite or not a number.
    AnyDouble,
}

/// What is known about the result of an expression.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Outcome {
    /// Contains the value, if there is one.
    pub(super) range: Range,
    /// Whether there may be no value.
    pub(super) may_fail: bool,
}

impl Outcome {
    pub(super) fn ints(low: i64, high: i64) -> Self {
        sure(Range::Ints(low, high))
    }

    /// Whether it is a condition that does not hold, if it has a value.
    pub(super) fn is_false(self) -> bool {
        self.range == Range::Ints(0, 0)
    }

    /// Whether it is a condition that holds.
    pub(super) fn is_true(self) -> bool {
        self.range == Range::Ints(1, 1) && !self.may_fail
    }
}

const UNKNOWN: Range = Range::Ints(0, 1);

const ANY_INT: Range = Range::Ints(i64::MIN, i64::MAX);

/// An operation without operands that may fail.
fn sure(range: Range) -> Outcome {
    Outcome {
        range,
        may_fail: false,
    }
}

/// Returns the bounds on the result of `op`, which is not a variable. Its type is `of`.
pub(super) fn outcome(op: Op, of: Type, operand: impl Fn(Id) -> Outcome) -> Outcome {
    match op {
        Op::Constant(bits) => sure(constant(bits, of)),
        Op::Variable(_) => sure(any(of)),
        Op::Not(id) => {
            let Outcome { range, may_fail } = operand(id);
            let range = match range {
                Range::Ints(low, high) => Range::Ints(1 - high, 1 - low),
                _ => UNKNOWN,
            };
            Outcome { range, may_fail }
        }
        Op::And(left, right) => junction(operand(left), operand(right), 0),
        Op::Or(left, right) => junction(operand(left), operand(right), 1),
        Op::If(condition, yes, no) => {
            let (condition, yes, no) = (operand(condition), operand(yes), operand(no));
            let chosen = match condition.range {
                Range::Ints(1, 1) => yes,
                Range::Ints(0, 0) => no,
                _ => Outcome {
                    range: union(yes.range, no.range),
                    may_fail: yes.may_fail || no.may_fail,
                },
            };
            Outcome {
                range: chosen.range,
                may_fail: condition.may_fail || chosen.may_fail,
            }
        }
        Op::CompareInt(op, left, right) | Op::CompareDouble(op, left, right) => {
            let (left, right) = (operand(left), operand(right));
            Outcome {
                range: compared(op, left.range, right.range),
                may_fail: left.may_fail || right.may_fail,
            }
        }
        Op::Unary(op, id) => {
            let operand = operand(id);
            result(unary(op, operand.range), of, operand.may_fail)
        }
        Op::Binary(op, left, right) => {
            let (left, right) = (operand(left), operand(right));
            let may_fail = left.may_fail || right.may_fail;
            result(binary(op, left.range, right.range), of, may_fail)
        }
    }
}

/// The bounds on a result: `None` if the operation may fail.
fn result(range: Option<Range>, of: Type, operands_may_fail: bool) -> Outcome {
    Outcome {
        range: range.unwrap_or(any(of)),
        may_fail: operands_may_fail || range.is_none(),
    }
}

fn any(of: Type) -> Range {
    match of {
        Type::Int => ANY_INT,
        Type::Bool => UNKNOWN,
        Type::Double => Range::AnyDouble,
    }
}

fn constant(bits: Bits, of: Type) -> Range {
    match of {
        Type::Double => doubles(to_double(bits), to_double(bits)),
        _ => Range::Ints(to_int(bits), to_int(bits)),
    }
}

fn doubles(low: f64, high: f64) -> Range {
    match low.is_finite() && high.is_finite() {
        true => Range::Doubles(low, high),
        false => Range::AnyDouble,
    }
}

fn union(a: Range, b: Range) -> Range {
    match (a, b) {
        (Range::Ints(a, b), Range::Ints(c, d)) => Range::Ints(a.min(c), b.max(d)),
        (Range::Doubles(a, b), Range::Doubles(c, d)) => Range::Doubles(a.min(c), b.max(d)),
        _ => Range::AnyDouble,
    }
}

/// `left & right` if `decisive` is 0, `left | right` if it is 1: the value of the left operand for
/// which the right one is not evaluated.
fn junction(left: Outcome, right: Outcome, decisive: i64) -> Outcome {
    let decides = Range::Ints(decisive, decisive);
    if left.range == decides {
        return left;
    }
    let range = match left.range == Range::Ints(1 - decisive, 1 - decisive) {
        true => right.range,
        false if right.range == decides => decides,
        false => UNKNOWN,
    };
    Outcome {
        range,
        may_fail: left.may_fail || right.may_fail,
    }
}

fn compared(op: Comparison, left: Range, right: Range) -> Range {
    match (left, right) {
        (Range::Ints(a, b), Range::Ints(c, d)) => compared_bounds(op, (a, b), (c, d)),
        (Range::Doubles(a, b), Range::Doubles(c, d)) => compared_bounds(op, (a, b), (c, d)),
        _ => UNKNOWN,
    }
}

fn compared_bounds<T: PartialOrd + Copy>(op: Comparison, (a, b): (T, T), (c, d): (T, T)) -> Range {
    let (may_hold, may_not) = match op {
        Comparison::Equal => (a <= d && c <= b, !(a == b && c == d && a == c)),
        Comparison::NotEqual => (!(a == b && c == d && a == c), a <= d && c <= b),
        Comparison::Less => (a < d, b >= c),
        Comparison::LessEqual => (a <= d, b > c),
        Comparison::Greater => (b > c, a <= d),
        Comparison::GreaterEqual => (b >= c, a < d),
    };
    Range::Ints(i64::from(!may_not), i64::from(may_hold))
}

/// Returns the bounds on the result; `None` if the operation may fail.
fn unary(op: Unary, range: Range) -> Option<Range> {
    let at = |bits: Bits| arith::unary(op, bits).ok();
    match (op, range) {
        (Unary::NegateInt, Range::Ints(low, high)) => Some(Range::Ints(
            to_int(at(of_int(high))?),
            to_int(at(of_int(low))?),
        )),
        (Unary::NegateDouble, Range::Doubles(low, high)) => Some(Range::Doubles(-high, -low)),
        (Unary::Widen, Range::Ints(low, high)) => Some(Range::Doubles(low as f64, high as f64)),
        (Unary::Floor | Unary::Ceil | Unary::Round, Range::Doubles(low, high)) => {
            let ends = (at(of_double(low))?, at(of_double(high))?);
            Some(Range::Ints(to_int(ends.0), to_int(ends.1)))
        }
        (Unary::NegateDouble | Unary::Widen, _) => Some(Range::AnyDouble),
        _ => None,
    }
}

/// Returns the bounds on the result; `None` if the operation may fail.
fn binary(op: Binary, left: Range, right: Range) -> Option<Range> {
    match (left, right) {
        (Range::Ints(a, b), Range::Ints(c, d)) => {
            let (low, high) = ints(op, (a, b), (c, d))?;
            Some(Range::Ints(low, high))
        }
        (Range::Doubles(a, b), Range::Doubles(c, d)) => {
            if op == Binary::Divide && c <= 0.0 && d >= 0.0 {
                return None;
            }
            let exact = a == b && c == d;
            if matches!(op, Binary::PowDouble | Binary::Log) && !exact {
                return Some(Range::AnyDouble);
            }
            let at = |x: f64, y: f64| arith::binary(op, of_double(x), of_double(y)).ok();
            let corners = [at(a, c)?, at(a, d)?, at(b, c)?, at(b, d)?].map(to_double);
            if !corners.iter().all(|corner| corner.is_finite()) {
                return Some(Range::AnyDouble);
            }
            let low = corners.into_iter().fold(f64::INFINITY, f64::min);
            Some(doubles(
                low,
                corners.into_iter().fold(f64::NEG_INFINITY, f64::max),
            ))
        }
        _ if op == Binary::Divide => None,
        _ => Some(Range::AnyDouble),
    }
}

/// As [`binary`], for operations on integers.
fn ints(op: Binary, (a, b): (i64, i64), (c, d): (i64, i64)) -> Option<(i64, i64)> {
    let at = |x: i64, y: i64| arith::binary(op, of_int(x), of_int(y)).ok().map(to_int);
    match op {
        Binary::Mod if c <= 0 => None,
        Binary::Mod if c == d && a.div_euclid(c) == b.div_euclid(c) => Some((at(a, c)?, at(b, c)?)),
        Binary::Mod if a >= 0 => Some((0, b.min(d - 1))),
        Binary::Mod => Some((0, d - 1)),
        Binary::PowInt => power(a, b, (c, d)),
        // These are monotonic in each operand.
        _ => {
            let corners = [at(a, c)?, at(a, d)?, at(b, c)?, at(b, d)?];
            let low = corners.into_iter().fold(i64::MAX, i64::min);
            Some((low, corners.into_iter().fold(i64::MIN, i64::max)))
        }
    }
}

/// The powers of bases from `a` to `b`; `None` if one of them may have no value.
fn power(a: i64, b: i64, (c, d): (i64, i64)) -> Option<(i64, i64)> {
    let at = |base: i64, exponent: i64| {
        let power = arith::binary(Binary::PowInt, of_int(base), of_int(exponent));
        power.ok().map(to_int)
    };
    if c < 0 {
        return None;
    }
    // No power is further from 0 than this. (0 to the power of 0 is 1.)
    let most = at(a.checked_abs()?.max(b.checked_abs()?), d)?.max(1);
    if a >= 1 {
        return Some((at(a, c)?, most));
    }
    match (a, c == d && c % 2 == 0) {
        (0.., _) | (_, true) => Some((0, most)),
        _ => Some((-most, most)),
    }
}
