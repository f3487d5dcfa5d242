//! The kinds of errors in a file, and their texts. `parse-error` handles the place.

use parse_error::{gzip_mark, wide_encoding};

pub use parse_error::Position;
pub(crate) use parse_error::{BOM, Lines, Span};

/// What went wrong while reading a file.
pub type Error = parse_error::Error<ErrorKind>;

pub(crate) type Fault = parse_error::Fault<ErrorKind>;

pub(crate) type Checked<T> = parse_error::Checked<T, ErrorKind>;

/// What can be wrong, with the numbers that say how.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The text does not follow the format.
    #[error("unexpected text")]
    Syntax,
    /// The file ends where more must follow.
    #[error("the file ends too early")]
    Truncated,
    /// The file begins as a gzip archive does: it was not inflated.
    #[error("this is a gzip archive: inflate it first, with `gunzip`")]
    Compressed,
    /// The text is in UTF-16 or UTF-32.
    #[error("the text is in {encoding}, not in UTF-8: `iconv -f {encoding} -t UTF-8` converts it")]
    WideEncoding {
        /// Its encoding.
        encoding: &'static str,
    },
    /// A label is not UTF-8.
    #[error("the label is not UTF-8 text")]
    NotUtf8,
    /// A label has no characters.
    #[error("the label is empty")]
    EmptyLabel,
    /// The name of a file has a NUL byte: there is no such file.
    #[error("the name of the file has a NUL byte")]
    NulInName,
    /// A number does not fit.
    #[error("the number is larger than {limit}")]
    NumberTooLarge {
        /// The largest number that would do.
        limit: u64,
    },
    /// The header and the lines disagree.
    #[error(
        "the header says {header} {}, the file has {found}",
        if *.header == 1 { "transition" } else { "transitions" }
    )]
    CountMismatch {
        /// The number in the header.
        header: u64,
        /// The number of transitions that follow.
        found: u64,
    },
    /// More states than the caller allows.
    #[error("{claimed} states are more than the limit of {limit}")]
    TooManyStates {
        /// States in the header.
        claimed: u64,
        /// [`ReadOptions::max_states`](crate::ReadOptions::max_states).
        limit: u64,
    },
    /// More states than a file of this size may claim.
    #[error(
        "{claimed} states are too many for a file of {bytes} bytes, which may claim {limit} at most"
    )]
    UnbackedStates {
        /// States in the header.
        claimed: u64,
        /// The size of the text.
        bytes: u64,
        /// [`STATE_SLACK`](crate::STATE_SLACK) more than that.
        limit: u64,
    },
    /// A state is not below the number of states.
    #[error("state {state} is out of range")]
    StateOutOfRange {
        /// The state.
        state: u32,
        /// The number of states that the header gives.
        num_states: u32,
    },
    /// A probability is 0, or has the denominator 0.
    #[error("the probability is not above 0")]
    BadProbability,
    /// The probabilities leave nothing for the last state of a distribution.
    #[error("the probabilities sum to {sum}, which leaves nothing for the last state")]
    BadSum {
        /// The sum of the probabilities that are given.
        sum: f64,
    },
    /// An operator of EXP that is not read.
    #[error("the operator `{operator}` is not supported")]
    UnsupportedOperator {
        /// The operator.
        operator: String,
    },
    /// A label of `hide` or `rename` is a regular expression.
    #[error("regular expressions are not supported: a backslash must stand before `{special}`")]
    RegularExpression {
        /// The character that has a meaning.
        special: char,
    },
    /// A vector has too few or too many parts.
    #[error("the vector has {found} parts for {expected} behaviours")]
    WrongArity {
        /// The number of behaviours.
        expected: usize,
        /// The number of parts.
        found: usize,
    },
    /// A vector involves no behaviour.
    #[error("the vector involves no behaviour")]
    EmptyVector,
    /// An operator is applied to the internal action, which nothing can synchronise or rename.
    #[error("the internal action `{label}` cannot be {what}")]
    Internal {
        /// The name of the internal action.
        label: String,
        /// What was asked for.
        what: &'static str,
    },
    /// Behaviours are nested too deep.
    #[error("behaviours are nested more than {limit} deep")]
    TooDeep {
        /// [`MAX_DEPTH`](crate::MAX_DEPTH).
        limit: usize,
    },
    /// A comment has no end.
    #[error("the comment does not end")]
    OpenComment,
    /// The caller's [interrupt](crate::ReadOptions::interrupt) was set.
    #[error("interrupted")]
    Interrupted,
}

/// Refuses input that begins as a gzip archive does, or as text in another encoding.
pub(crate) fn check_encoding(input: &[u8]) -> Checked<()> {
    if let Some(mark) = gzip_mark(input) {
        return Err(Fault::new(mark, ErrorKind::Compressed));
    }
    match wide_encoding(input) {
        Some(encoding) => Err(Fault::placeless(ErrorKind::WideEncoding { encoding })),
        None => Ok(()),
    }
}
