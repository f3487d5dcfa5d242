//! [`Assertion`]: a condition or its negation, and what it says about its operands.

use super::value::{Node, TermId, Terms};

/// A condition or its negation.
#[derive(Clone, Copy)]
pub(super) struct Assertion {
    pub(super) condition: TermId,
    pub(super) holds: bool,
}

impl Assertion {
    /// Says that a condition holds.
    pub(super) fn holds(condition: TermId) -> Self {
        Self {
            condition,
            holds: true,
        }
    }

    /// Says that a condition does not hold.
    pub(super) fn fails(condition: TermId) -> Self {
        Self {
            condition,
            holds: false,
        }
    }
}

/// What an assertion says about the operands of its condition.
pub(super) enum Meaning {
    /// It is this constant.
    Constant(bool),
    /// It is equivalent to another assertion.
    Is(Assertion),
    /// It is true if both assertions are.
    Both(Assertion, Assertion),
    /// It is true if one of the assertions is.
    Either(Assertion, Assertion),
    /// It is true if the first number is less than the second, and perhaps if they are equal.
    Ordered(TermId, TermId),
    /// It is true if the values are equal.
    Equal(TermId, TermId),
    /// It is true if the values differ.
    Differ(TermId, TermId),
    /// Anything else.
    Unknown,
}

impl Terms {
    /// Returns what an assertion says about the operands of its condition.
    pub(super) fn meaning(&self, assertion: Assertion) -> Meaning {
        let Assertion { condition, holds } = assertion;
        let same = |condition| Assertion { condition, holds };
        match *self.node(condition) {
            Node::Truth(truth) => Meaning::Constant(truth == holds),
            Node::Not(condition) => Meaning::Is(Assertion {
                condition,
                holds: !holds,
            }),
            Node::And(a, b) if holds => Meaning::Both(same(a), same(b)),
            Node::Or(a, b) if holds => Meaning::Either(same(a), same(b)),
            Node::And(a, b) => Meaning::Either(same(a), same(b)),
            Node::Or(a, b) => Meaning::Both(same(a), same(b)),
            Node::Less(a, b) | Node::LessEqual(a, b) if holds => Meaning::Ordered(a, b),
            Node::Less(a, b) | Node::LessEqual(a, b) => Meaning::Ordered(b, a),
            Node::Equal(a, b) if holds => Meaning::Equal(a, b),
            Node::Equal(a, b) => Meaning::Differ(a, b),
            _ => Meaning::Unknown,
        }
    }
}
