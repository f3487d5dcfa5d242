//! The nodes of checked expressions. Making a node folds constants, and computes bounds on its
//! value.

use crate::arith::{self, Binary, Bits, Comparison, Unary, of_double, of_int, to_double, to_int};
use crate::ast::{Span, Type};

/// The index of a variable.
pub(crate) type Slot = u16;

/// The index of a node.
pub(crate) type Id = u32;

/// An operation and its operands.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Op {
    Constant(Bits),
    Variable(Slot),
    Not(Id),
    And(Id, Id),
    Or(Id, Id),
    If(Id, Id, Id),
    /// Compares integers or truth values.
    CompareInt(Comparison, Id, Id),
    CompareDouble(Comparison, Id, Id),
    Unary(Unary, Id),
    Binary(Binary, Id, Id),
}

#[derive(Debug, Clone)]
pub(crate) struct Node {
    pub(crate) op: Op,
    pub(crate) of: Type,
    pub(crate) span: Span,
    /// The first and the last variable on which the value depends.
    pub(crate) slots: Option<(Slot, Slot)>,
    /// Whether computing the value may fail.
    pub(crate) fallible: bool,
    /// The least and the greatest value, if it is an integer.
    range: (i64, i64),
}

/// A checked expression.
#[derive(Debug, Clone, Default)]
pub(crate) struct Expr {
    nodes: Vec<Node>,
}

impl Expr {
    pub(crate) fn node(&self, id: Id) -> &Node {
        &self.nodes[id as usize]
    }

    /// Returns the whole expression, which is the node that was made last.
    pub(crate) fn root(&self) -> Id {
        self.last()
    }

    fn last(&self) -> Id {
        u32::try_from(self.nodes.len() - 1).unwrap_or(Id::MAX)
    }

    /// Returns the value of a node, if it is constant.
    pub(crate) fn constant(&self, id: Id) -> Option<Bits> {
        match self.node(id).op {
            Op::Constant(bits) => Some(bits),
            _ => None,
        }
    }

    /// Returns the variable of a node, if its value depends on exactly one.
    pub(crate) fn only_slot(&self, id: Id) -> Option<Slot> {
        match self.node(id).slots {
            Some((first, last)) if first == last => Some(first),
            _ => None,
        }
    }

    /// Adds a node whose operation cannot fail. Its operands may.
    fn push(&mut self, op: Op, of: Type, span: Span, range: (i64, i64)) -> Id {
        self.push_with(op, of, span, Outcome::within(range))
    }

    /// Adds a node whose operation has this outcome.
    fn push_with(&mut self, op: Op, of: Type, span: Span, outcome: Outcome) -> Id {
        let mut slots: Option<(Slot, Slot)> = match op {
            Op::Variable(slot) => Some((slot, slot)),
            _ => None,
        };
        let mut fallible = outcome.may_fail;
        for operand in op.operands() {
            let node = self.node(operand);
            fallible |= node.fallible;
            slots = match (slots, node.slots) {
                (Some(a), Some(b)) => Some((a.0.min(b.0), a.1.max(b.1))),
                (a, b) => a.or(b),
            };
        }
        self.nodes.push(Node {
            op,
            of,
            span,
            slots,
            fallible,
            range: outcome.range,
        });
        self.last()
    }

    pub(crate) fn value(&mut self, bits: Bits, of: Type, span: Span) -> Id {
        let value = to_int(bits);
        self.push(Op::Constant(bits), of, span, (value, value))
    }

    pub(crate) fn variable(&mut self, slot: Slot, of: Type, range: (i64, i64), span: Span) -> Id {
        self.push(Op::Variable(slot), of, span, range)
    }

    /// Returns a node with the same value as an earlier one.
    pub(crate) fn again(&mut self, id: Id, span: Span) -> Id {
        let mut node = self.node(id).clone();
        node.span = span;
        self.nodes.push(node);
        self.last()
    }

    pub(crate) fn not(&mut self, operand: Id, span: Span) -> Id {
        match self.constant(operand) {
            Some(bits) => self.value(u64::from(bits == 0), Type::Bool, span),
            None => self.push(Op::Not(operand), Type::Bool, span, (0, 1)),
        }
    }

    pub(crate) fn and(&mut self, left: Id, right: Id, span: Span) -> Id {
        match (self.constant(left), self.constant(right)) {
            (Some(0), _) => self.again(left, span),
            (Some(_), _) => self.again(right, span),
            (None, Some(1)) => self.again(left, span),
            _ => self.push(Op::And(left, right), Type::Bool, span, (0, 1)),
        }
    }

    pub(crate) fn or(&mut self, left: Id, right: Id, span: Span) -> Id {
        match (self.constant(left), self.constant(right)) {
            (Some(0), _) => self.again(right, span),
            (Some(_), _) => self.again(left, span),
            (None, Some(0)) => self.again(left, span),
            _ => self.push(Op::Or(left, right), Type::Bool, span, (0, 1)),
        }
    }

    /// Makes a conditional. `yes` and `no` must have the same type.
    pub(crate) fn choose(&mut self, condition: Id, yes: Id, no: Id, span: Span) -> Id {
        match self.constant(condition) {
            Some(0) => self.again(no, span),
            Some(_) => self.again(yes, span),
            None => {
                let (a, b) = (self.node(yes), self.node(no));
                let range = (a.range.0.min(b.range.0), a.range.1.max(b.range.1));
                let of = a.of;
                self.push(Op::If(condition, yes, no), of, span, range)
            }
        }
    }

    /// Makes a comparison. `left` and `right` must have the same type.
    pub(crate) fn compare(&mut self, op: Comparison, left: Id, right: Id, span: Span) -> Id {
        let double = self.node(left).of == Type::Double;
        if let (Some(a), Some(b)) = (self.constant(left), self.constant(right)) {
            let holds = match double {
                true => op.holds(to_double(a), to_double(b)),
                false => op.holds(to_int(a), to_int(b)),
            };
            return self.value(u64::from(holds), Type::Bool, span);
        }
        let op = match double {
            true => Op::CompareDouble(op, left, right),
            false => Op::CompareInt(op, left, right),
        };
        self.push(op, Type::Bool, span, (0, 1))
    }

    /// Makes the result of an operation, which is computed now if the operand is constant and it
    /// does not fail.
    pub(crate) fn unary(&mut self, op: Unary, operand: Id, span: Span) -> Id {
        let of = match op {
            Unary::NegateDouble | Unary::Widen => Type::Double,
            Unary::NegateInt | Unary::Floor | Unary::Ceil | Unary::Round => Type::Int,
        };
        if let Some(Ok(bits)) = self.constant(operand).map(|bits| arith::unary(op, bits)) {
            return self.value(bits, of, span);
        }
        let (low, high) = self.node(operand).range;
        let outcome = match op {
            Unary::NegateInt => fitting(-i128::from(high), -i128::from(low)),
            Unary::NegateDouble | Unary::Widen => Outcome::within(ANY),
            Unary::Floor | Unary::Ceil | Unary::Round => Outcome::FALLIBLE,
        };
        self.push_with(Op::Unary(op, operand), of, span, outcome)
    }

    /// Makes the result of an operation, which is computed now if both operands are constant and it
    /// does not fail.
    pub(crate) fn binary(&mut self, op: Binary, left: Id, right: Id, span: Span) -> Id {
        let of = op.result();
        let constants = self.constant(left).zip(self.constant(right));
        if let Some(Ok(bits)) = constants.map(|(a, b)| arith::binary(op, a, b)) {
            return self.value(bits, of, span);
        }
        let wide = |id: Id| {
            let (low, high) = self.node(id).range;
            (i128::from(low), i128::from(high))
        };
        let ((a, b), (c, d)) = (wide(left), wide(right));
        let outcome = match op {
            Binary::AddInt => fitting(a + c, b + d),
            Binary::SubtractInt => fitting(a - d, b - c),
            Binary::MultiplyInt => {
                let products = [a * c, a * d, b * c, b * d];
                let low = products.into_iter().fold(a * c, i128::min);
                fitting(low, products.into_iter().fold(a * c, i128::max))
            }
            Binary::MinInt => fitting(a.min(c), b.min(d)),
            Binary::MaxInt => fitting(a.max(c), b.max(d)),
            Binary::Mod if c > 0 => fitting(0, d - 1),
            Binary::Mod | Binary::PowInt => Outcome::FALLIBLE,
            Binary::Divide => {
                let divisor = self.constant(right).map(to_double);
                match divisor.is_none_or(|divisor| divisor == 0.0) {
                    true => Outcome::FALLIBLE,
                    false => Outcome::within(ANY),
                }
            }
            _ => Outcome::within(ANY),
        };
        self.push_with(Op::Binary(op, left, right), of, span, outcome)
    }
}

const ANY: (i64, i64) = (i64::MIN, i64::MAX);

/// What is known of the result of an operation.
#[derive(Clone, Copy)]
struct Outcome {
    /// Whether the operation may fail.
    may_fail: bool,
    /// The least and the greatest value that it may have.
    range: (i64, i64),
}

impl Outcome {
    /// Any value, or a failure.
    const FALLIBLE: Self = Self {
        may_fail: true,
        range: ANY,
    };

    /// A value in this range. The operation cannot fail.
    fn within(range: (i64, i64)) -> Self {
        Self {
            may_fail: false,
            range,
        }
    }
}

/// Returns the outcome of an operation on integers whose results are from `low` to `high`. Those
/// that do not fit 64 bits are failures.
fn fitting(low: i128, high: i128) -> Outcome {
    let fits = |value: i128| i64::try_from(value).ok();
    match (fits(low), fits(high)) {
        (Some(low), Some(high)) => Outcome::within((low, high)),
        _ => Outcome::FALLIBLE,
    }
}

impl Op {
    /// Returns the operands, in order.
    pub(crate) fn operands(self) -> impl Iterator<Item = Id> {
        let operands = match self {
            Self::Constant(_) | Self::Variable(_) => [None; 3],
            Self::Not(a) | Self::Unary(_, a) => [Some(a), None, None],
            Self::And(a, b)
            | Self::Or(a, b)
            | Self::CompareInt(_, a, b)
            | Self::CompareDouble(_, a, b)
            | Self::Binary(_, a, b) => [Some(a), Some(b), None],
            Self::If(a, b, c) => [Some(a), Some(b), Some(c)],
        };
        operands.into_iter().flatten()
    }

    /// Returns the operation with other operands.
    pub(crate) fn with_operands(self, new: impl Fn(Id) -> Id) -> Self {
        match self {
            Self::Constant(_) | Self::Variable(_) => self,
            Self::Not(a) => Self::Not(new(a)),
            Self::And(a, b) => Self::And(new(a), new(b)),
            Self::Or(a, b) => Self::Or(new(a), new(b)),
            Self::If(a, b, c) => Self::If(new(a), new(b), new(c)),
            Self::CompareInt(op, a, b) => Self::CompareInt(op, new(a), new(b)),
            Self::CompareDouble(op, a, b) => Self::CompareDouble(op, new(a), new(b)),
            Self::Unary(op, a) => Self::Unary(op, new(a)),
            Self::Binary(op, a, b) => Self::Binary(op, new(a), new(b)),
        }
    }
}

impl Binary {
    /// Returns the type of the result.
    fn result(self) -> Type {
        match self {
            Self::AddInt
            | Self::SubtractInt
            | Self::MultiplyInt
            | Self::MinInt
            | Self::MaxInt
            | Self::PowInt
            | Self::Mod => Type::Int,
            Self::AddDouble
            | Self::SubtractDouble
            | Self::MultiplyDouble
            | Self::Divide
            | Self::MinDouble
            | Self::MaxDouble
            | Self::PowDouble
            | Self::Log => Type::Double,
        }
    }
}

/// Returns the bits of an integer.
pub(crate) fn int(value: i64) -> Bits {
    of_int(value)
}

/// Returns the bits of a floating-point number.
pub(crate) fn double(value: f64) -> Bits {
    of_double(value)
}
