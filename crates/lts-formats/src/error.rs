//! The kinds of errors in a file, and their texts. `parse-error` handles the place.

use parse_error::{OutOfMemory, counted, wide_encoding};

pub use parse_error::{ArchiveKind, Position};
pub(crate) use parse_error::{BOM, Lines, Span};

/// An error that was found while reading a file.
pub type Error = parse_error::Error<ErrorKind>;

pub(crate) type Fault = parse_error::Fault<ErrorKind>;

pub(crate) type Checked<T> = parse_error::Checked<T, ErrorKind>;

/// The kinds of errors, with the numbers that describe them.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The text does not follow the format.
    #[error("unexpected text")]
    Syntax,
    /// The file ends too early.
    #[error("the file ends too early")]
    Truncated,
    /// The file is an archive, which was not decompressed.
    #[error("this is {archive}: {}", archive.advice())]
    Compressed {
        /// The kind of archive.
        archive: ArchiveKind,
    },
    /// The text is UTF-16 or UTF-32.
    #[error("the text is in {encoding}, not in UTF-8: `iconv -f {encoding} -t UTF-8` converts it")]
    WideEncoding {
        /// Its encoding.
        encoding: &'static str,
    },
    /// A label is not UTF-8.
    #[error("the label is not UTF-8 text")]
    NotUtf8,
    /// A label is empty.
    #[error("the label is empty")]
    EmptyLabel,
    /// The name of a file contains a NUL byte, so it cannot exist.
    #[error("the name of the file has a NUL byte")]
    NulInName,
    /// A number is too large.
    #[error("the number is larger than {limit}")]
    NumberTooLarge {
        /// The largest number that is allowed.
        limit: u64,
    },
    /// The number of transitions is not that in the header.
    #[error(
        "the header says {}, the file has {found}",
        counted(*.header, "transition")
    )]
    CountMismatch {
        /// The number in the header.
        header: u64,
        /// The number of transitions that follow.
        found: u64,
    },
    /// There are more states than the caller allows.
    #[error("the number of states, {claimed}, is above the limit of {limit}")]
    TooManyStates {
        /// The number of states in the header.
        claimed: u64,
        /// [`ReadOptions::max_states`](crate::ReadOptions::max_states).
        limit: u64,
    },
    /// The header claims more states than a file of this size may claim.
    #[error(
        "{claimed} states are too many for a file of {bytes} bytes, which may claim {limit} at most"
    )]
    UnbackedStates {
        /// The number of states in the header.
        claimed: u64,
        /// The size of the text in bytes.
        bytes: u64,
        /// The limit, which is the size plus [`STATE_SLACK`](crate::STATE_SLACK).
        limit: u64,
    },
    /// A state is not below the number of states.
    #[error("state {state} is out of range")]
    StateOutOfRange {
        /// The state.
        state: u32,
        /// The number of states in the header.
        num_states: u32,
    },
    /// A probability is 0, or its denominator is 0.
    #[error("the probability is not above 0")]
    BadProbability,
    /// No probability remains for the last state of a distribution.
    #[error("the probabilities sum to {sum}, which leaves nothing for the last state")]
    BadSum {
        /// The sum of the probabilities in the file.
        sum: f64,
    },
    /// The probabilities of a distribution sum to about 1, and their fractions are too long to find
    /// out whether anything remains for the last state.
    #[error(
        "the probabilities sum to about {sum}: their fractions have too many digits to find out what \
         is left for the last state"
    )]
    LongFractions {
        /// The sum of the probabilities in the file, as doubles.
        sum: f64,
    },
    /// An operator of EXP is not supported.
    #[error("the operator `{operator}` is not supported")]
    UnsupportedOperator {
        /// The operator.
        operator: String,
    },
    /// A label of `hide` or `rename` contains a character with a meaning in regular expressions.
    #[error("regular expressions are not supported: a backslash must stand before `{special}`")]
    RegularExpression {
        /// The character.
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
    /// The internal action is used where it cannot be: nothing can synchronise on it or rename it.
    #[error("the internal action `{label}` cannot be {what}")]
    Internal {
        /// The name of the internal action.
        label: String,
        /// A description of the use.
        what: &'static str,
    },
    /// The nesting of behaviours is too deep.
    #[error("behaviours are nested more than {limit} deep")]
    TooDeep {
        /// [`MAX_DEPTH`](crate::MAX_DEPTH).
        limit: usize,
    },
    /// A comment has no end.
    #[error("the comment does not end")]
    OpenComment,
    /// There is not enough memory.
    #[error("out of memory: {bytes} bytes were needed")]
    OutOfMemory {
        /// The number of bytes that were requested.
        bytes: u64,
    },
    /// The caller's [interrupt](crate::ReadOptions::interrupt) was set.
    #[error("interrupted")]
    Interrupted,
}

impl From<OutOfMemory> for ErrorKind {
    fn from(error: OutOfMemory) -> Self {
        Self::OutOfMemory { bytes: error.bytes }
    }
}

/// Converts a fault in `input` to an error. If the end of the file is unexpected, it says so.
pub(crate) fn locate(mut fault: Fault, input: &[u8]) -> Error {
    let is_at_end = fault.span.is_some_and(|span| span.offset == input.len());
    if is_at_end && fault.kind == ErrorKind::Syntax {
        fault.kind = ErrorKind::Truncated;
    }
    fault.locate(input)
}

/// Refuses an archive, and text in another encoding.
pub(crate) fn check_encoding(input: &[u8]) -> Checked<()> {
    if let Some((place, archive)) = ArchiveKind::find(input) {
        return Err(Fault::new(place, ErrorKind::Compressed { archive }));
    }
    match wide_encoding(input) {
        Some(encoding) => Err(Fault::placeless(ErrorKind::WideEncoding { encoding })),
        None => Ok(()),
    }
}
