//! Abstract values for the check of the monotone shape: the direction in which each value changes
//! while words are lowered.
//!
//! *Progress* means that operations change words of the examined buffers: `atomicMin` and
//! `atomicAnd` lower them, `atomicMax` and `atomicOr` raise them.

use std::collections::HashMap;

use naga::{GlobalVariable, Handle, LocalVariable};

/// The direction in which a value changes with progress. A condition goes up if it can only become
/// true.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Sign {
    Fixed,
    Down,
    Up,
    Any,
}

impl Sign {
    pub(super) fn flip(self) -> Self {
        match self {
            Self::Down => Self::Up,
            Self::Up => Self::Down,
            other => other,
        }
    }

    /// Returns the sign of a value that depends on both, and changes in the direction of each of
    /// them.
    pub(super) fn join(self, other: Self) -> Self {
        match (self, other) {
            (Self::Fixed, sign) | (sign, Self::Fixed) => sign,
            (one, other) if one == other => one,
            _ => Self::Any,
        }
    }
}

pub(super) type TermId = usize;

/// The computation of a value. Two values of the same term are equal.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Node {
    Number(u32),
    Truth(bool),
    /// An unknown value.
    Symbol(usize),
    /// An element of a read-only buffer.
    Constant(Handle<GlobalVariable>, Vec<TermId>),
    Less(TermId, TermId),
    LessEqual(TermId, TermId),
    Equal(TermId, TermId),
    Not(TermId),
    And(TermId, TermId),
    Or(TermId, TermId),
    BitAnd(TermId, TermId),
    ShiftLeft(TermId, TermId),
    /// Any other function.
    Computed(String, Vec<TermId>),
}

/// A word of a buffer: the buffer, followed by indices and members from the outside in.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Word {
    pub(super) buffer: Handle<GlobalVariable>,
    pub(super) steps: Vec<TermId>,
}

/// All terms.
#[derive(Debug, Default)]
pub(super) struct Terms {
    nodes: Vec<Node>,
    signs: Vec<Sign>,
    numbers: HashMap<Node, TermId>,
    symbols: usize,
    /// The terms that are results of atomic loads, with the words that were loaded.
    pub(super) loads: HashMap<TermId, Word>,
}

impl Terms {
    pub(super) fn term(&mut self, node: Node, sign: Sign) -> TermId {
        if let Some(&known) = self.numbers.get(&node) {
            self.signs[known] = self.signs[known].join(sign);
            return known;
        }
        let number = self.nodes.len();
        self.nodes.push(node.clone());
        self.signs.push(sign);
        self.numbers.insert(node, number);
        number
    }

    pub(super) fn fresh(&mut self, sign: Sign) -> TermId {
        self.symbols += 1;
        self.term(Node::Symbol(self.symbols), sign)
    }

    pub(super) fn node(&self, term: TermId) -> &Node {
        &self.nodes[term]
    }

    pub(super) fn sign(&self, term: TermId) -> Sign {
        self.signs[term]
    }

    pub(super) fn number(&self, term: TermId) -> Option<u32> {
        match self.nodes[term] {
            Node::Number(number) => Some(number),
            _ => None,
        }
    }

    /// Returns whether the value is a power of two, whatever it depends on.
    pub(super) fn is_single_bit(&self, term: TermId) -> bool {
        match self.nodes[term] {
            Node::Number(number) => number.is_power_of_two(),
            Node::ShiftLeft(one, _) => self.number(one) == Some(1),
            _ => false,
        }
    }
}

/// A scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Scalar {
    pub(super) term: TermId,
    pub(super) sign: Sign,
    /// Whether each bit changes in this direction.
    pub(super) by_bits: bool,
    /// The bits that progress may change, the bits that may be set, and the bits that are set.
    pub(super) varies: u32,
    pub(super) maybe: u32,
    pub(super) ones: u32,
}

impl Scalar {
    /// Returns a scalar of which only the sign is known.
    pub(super) fn of(term: TermId, sign: Sign) -> Self {
        Self {
            term,
            sign,
            by_bits: sign == Sign::Fixed,
            varies: if sign == Sign::Fixed { 0 } else { u32::MAX },
            maybe: u32::MAX,
            ones: 0,
        }
    }

    pub(super) fn number(terms: &mut Terms, number: u32) -> Self {
        let term = terms.term(Node::Number(number), Sign::Fixed);
        Self {
            maybe: number,
            ones: number,
            ..Self::of(term, Sign::Fixed)
        }
    }

    pub(super) fn truth(terms: &mut Terms, truth: bool) -> Self {
        let term = terms.term(Node::Truth(truth), Sign::Fixed);
        Self::of(term, Sign::Fixed)
    }

    pub(super) fn is_fixed(&self) -> bool {
        self.sign == Sign::Fixed
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Root {
    /// A variable of a function, in one of its calls.
    Local(usize, Handle<LocalVariable>),
    Global(Handle<GlobalVariable>),
}

/// The value of an expression.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Scalar(Scalar),
    /// Components or members.
    Parts(Vec<Value>),
    Pointer(Root, Vec<Scalar>),
}

impl Value {
    /// Returns the sign of all components together.
    pub(super) fn sign(&self) -> Sign {
        match self {
            Self::Scalar(scalar) => scalar.sign,
            Self::Parts(parts) => parts.iter().map(Self::sign).fold(Sign::Fixed, Sign::join),
            Self::Pointer(_, steps) => {
                let signs = steps.iter().map(|step| step.sign);
                signs.fold(Sign::Fixed, Sign::join)
            }
        }
    }

    /// Returns the value as a scalar.
    pub(super) fn scalar(&self, terms: &mut Terms) -> Scalar {
        match self {
            Self::Scalar(scalar) => *scalar,
            other => {
                let sign = match other.sign() {
                    Sign::Fixed => Sign::Fixed,
                    _ => Sign::Any,
                };
                Scalar::of(terms.fresh(sign), sign)
            }
        }
    }

    /// Returns another value of the same structure with the same signs.
    pub(super) fn renewed(&self, terms: &mut Terms) -> Self {
        match self {
            Self::Scalar(scalar) => Self::Scalar(Scalar::of(terms.fresh(scalar.sign), scalar.sign)),
            Self::Parts(parts) => {
                Self::Parts(parts.iter().map(|part| part.renewed(terms)).collect())
            }
            Self::Pointer(..) => Self::Scalar(Scalar::of(terms.fresh(Sign::Any), Sign::Any)),
        }
    }

    /// Returns a value of the same structure that may change in any direction.
    pub(super) fn tainted(&self, terms: &mut Terms) -> Self {
        match self {
            Self::Parts(parts) => {
                Self::Parts(parts.iter().map(|part| part.tainted(terms)).collect())
            }
            _ => Self::Scalar(Scalar::of(terms.fresh(Sign::Any), Sign::Any)),
        }
    }

    /// Returns the value that is one of two values, if progress does not determine which.
    pub(super) fn either(&self, other: &Self, terms: &mut Terms) -> Self {
        match (self, other) {
            (one, other) if one == other => one.clone(),
            (Self::Parts(one), Self::Parts(other)) if one.len() == other.len() => {
                let pairs = one.iter().zip(other);
                Self::Parts(pairs.map(|(a, b)| a.either(b, terms)).collect())
            }
            (one, other) => {
                let sign = one.sign().join(other.sign());
                Self::Scalar(Scalar::of(terms.fresh(sign), sign))
            }
        }
    }
}
