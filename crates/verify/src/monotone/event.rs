//! The results of a walk: operations on words, and the conditions that skip them.

use naga::{GlobalVariable, Handle, Span};

use super::value::{Scalar, Sign, TermId, Terms, Word};

/// The operation that lowers the words of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Min,
    Max,
    And,
    Or,
}

impl Kind {
    /// Returns the direction in which words change.
    pub(super) fn sign(self) -> Sign {
        match self {
            Self::Min | Self::And => Sign::Down,
            Self::Max | Self::Or => Sign::Up,
        }
    }

    pub(super) fn by_bits(self) -> bool {
        matches!(self, Self::And | Self::Or)
    }
}

/// The scope that a skip leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Leaves {
    /// A loop or a `switch`, given by its number.
    Scope(usize),
    /// The rest of an iteration of a loop.
    Iteration(usize),
    /// A call, given by its number.
    Call(usize),
}

/// A `return`, `break` or `continue`. If its conditions hold, the statements after it are skipped.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Skip {
    pub(super) leaves: Leaves,
    pub(super) conditions: Vec<Scalar>,
    /// The operations before it in its block.
    pub(super) done: Vec<(Word, TermId)>,
    pub(super) span: Span,
}

/// An operation on words in storage.
#[derive(Clone, Debug)]
pub(super) struct Event {
    pub(super) buffer: Handle<GlobalVariable>,
    /// The operation, the word and the value, if it lowers a word; `None` for other operations.
    pub(super) lowers: Option<(Kind, Word, Scalar)>,
    /// The indices and members in the access path of the operation, if there are any.
    pub(super) steps: Vec<TermId>,
    /// The term that the operation returned.
    pub(super) result: TermId,
    pub(super) has_fixed_index: bool,
    pub(super) guards: Vec<Scalar>,
    pub(super) guard_spans: Vec<Span>,
    pub(super) skips: Vec<Skip>,
    pub(super) span: Span,
}

impl Event {
    /// Returns whether the operation is known to access another member of the same buffer.
    pub(super) fn place_is_other(&self, word: &Word, terms: &Terms) -> bool {
        let own = self.steps.first();
        let numbers = own.zip(word.steps.first());
        let numbers = numbers.map(|(&a, &b)| (terms.number(a), terms.number(b)));
        matches!(numbers, Some((Some(a), Some(b))) if a != b)
    }
}

/// Returns whether a skip may depend on words that change.
pub(super) fn is_open(skip: &Skip) -> bool {
    sign_of(skip) != Sign::Fixed
}

pub(super) fn sign_of(skip: &Skip) -> Sign {
    let signs = skip.conditions.iter().map(|one| one.sign);
    signs.fold(Sign::Fixed, Sign::join)
}
