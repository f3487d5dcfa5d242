//! What can be wrong with a file, and where. This module words an error in one line; it knows no
//! file names and draws no carets, because only the caller knows where the text came from.

use std::borrow::Cow;
use std::fmt;

/// What went wrong while reading a file.
///
/// An error has a [kind](Error::kind) for programs, a [position](Error::position) in the text that
/// was read, and words for people: what was [expected](Error::expected) and what was
/// [found](Error::found). `Display` puts them in one line; [`message`](Error::message) is that line
/// without the position, for callers that show the position in their own way.
#[derive(Debug, Clone, PartialEq)]
pub struct Error(Box<Inner>);

#[derive(Debug, Clone, PartialEq)]
struct Inner {
    kind: ErrorKind,
    position: Option<Position>,
    expected: Option<Cow<'static, str>>,
    found: Option<String>,
}

/// A place in the text that was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    /// Bytes before the place.
    pub offset: usize,
    /// Length of the text in bytes; 0 where something is missing.
    pub length: usize,
    /// Line, counted from 1; lines end at `\n`.
    pub line: u64,
    /// Column in characters (Unicode scalar values), counted from 1.
    pub column: u64,
}

impl Error {
    /// The kind of error, with its numbers.
    #[must_use]
    pub fn kind(&self) -> &ErrorKind {
        &self.0.kind
    }

    /// Where the error is; `None` when it has no place in the text (an interrupt, no memory).
    #[must_use]
    pub fn position(&self) -> Option<Position> {
        self.0.position
    }

    /// What would have been right at that place, such as `a target state`.
    #[must_use]
    pub fn expected(&self) -> Option<&str> {
        self.0.expected.as_deref()
    }

    /// What stands there instead: quoted text, or `the end of the line`.
    #[must_use]
    pub fn found(&self) -> Option<&str> {
        self.0.found.as_deref()
    }

    /// The error in one line, without its position.
    #[must_use]
    pub fn message(&self) -> String {
        let mut message = self.0.kind.to_string();
        if let Some(expected) = &self.0.expected {
            message.push_str(": expected ");
            message.push_str(expected);
            if let Some(found) = &self.0.found {
                message.push_str(", found ");
                message.push_str(found);
            }
        }
        message
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(Position { line, column, .. }) = self.0.position {
            write!(f, "line {line}, column {column}: ")?;
        }
        f.write_str(&self.message())
    }
}

impl std::error::Error for Error {}

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
    #[error("this is a gzip archive: inflate it first, with `gunzip` or the crate of that name")]
    Compressed,
    /// A label is not UTF-8.
    #[error("the label is not UTF-8 text")]
    NotUtf8,
    /// A label has no characters.
    #[error("the label is empty")]
    EmptyLabel,
    /// A number does not fit.
    #[error("the number is larger than {limit}")]
    NumberTooLarge {
        /// The largest number that would do.
        limit: u64,
    },
    /// The header and the lines disagree.
    #[error("the header says {header} transitions, the file has {found}")]
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

/// The byte order mark that some editors put before UTF-8 text.
pub(crate) const BOM: &[u8] = b"\xEF\xBB\xBF";

/// Refuses input that begins with the two bytes of every gzip archive. No text does.
pub(crate) fn refuse_gzip(input: &[u8]) -> Checked<()> {
    const MAGIC: &[u8] = &[0x1F, 0x8B];
    let place = Span {
        offset: 0,
        length: MAGIC.len(),
    };
    match input.starts_with(MAGIC) {
        true => Err(Fault::new(place, ErrorKind::Compressed)),
        false => Ok(()),
    }
}

/// An error whose line is not counted yet: while chunks are parsed in parallel, only one of many is
/// reported.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Fault {
    place: Option<Span>,
    kind: ErrorKind,
    expected: Option<Cow<'static, str>>,
}

/// A stretch of the input, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) offset: usize,
    pub(crate) length: usize,
}

/// The result of internal functions; the fault is boxed because it is large and rare.
pub(crate) type Checked<T> = Result<T, Box<Fault>>;

impl Fault {
    pub(crate) fn new(place: Span, kind: ErrorKind) -> Box<Self> {
        Box::new(Self {
            place: Some(place),
            kind,
            expected: None,
        })
    }

    pub(crate) fn placeless(kind: ErrorKind) -> Box<Self> {
        Box::new(Self {
            place: None,
            kind,
            expected: None,
        })
    }

    pub(crate) fn expecting(mut self: Box<Self>, what: impl Into<Cow<'static, str>>) -> Box<Self> {
        self.expected = Some(what.into());
        self
    }

    /// Finds the line and column of the fault in the text it was found in.
    pub(crate) fn locate(self, input: &[u8]) -> Error {
        Error(Box::new(Inner {
            kind: self.kind,
            position: self.place.map(|place| Lines::new(input).position(place)),
            found: self.place.map(|place| quote(input, place)),
            expected: self.expected,
        }))
    }
}

/// Where the lines of a text begin.
pub(crate) struct Lines<'a> {
    text: &'a [u8],
    /// Behind each `\n`.
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    pub(crate) fn new(text: &'a [u8]) -> Self {
        let starts = memchr::memchr_iter(b'\n', text).map(|newline| newline + 1);
        let starts = starts.collect();
        Self { text, starts }
    }

    pub(crate) fn text(&self) -> &'a [u8] {
        self.text
    }

    /// The line and column of a place.
    pub(crate) fn position(&self, place: Span) -> Position {
        let lines_before = self.starts.partition_point(|&start| start <= place.offset);
        let mut columns = match lines_before.checked_sub(1) {
            Some(line) => &self.text[self.starts[line]..place.offset],
            None => &self.text[..place.offset],
        };
        if lines_before == 0 {
            columns = columns.strip_prefix(BOM).unwrap_or(columns);
        }
        Position {
            offset: place.offset,
            length: place.length,
            line: lines_before as u64 + 1,
            column: columns.iter().filter(|&&b| b & 0xC0 != 0x80).count() as u64 + 1,
        }
    }
}

/// The offending text in backticks, cut short, or a name for what is missing.
fn quote(input: &[u8], place: Span) -> String {
    const LONGEST: usize = 40;
    if place.length == 0 {
        let rest = &input[place.offset..];
        let at_line_end = rest.starts_with(b"\n") || rest.starts_with(b"\r\n");
        let name = match at_line_end {
            true => "the end of the line",
            false => "the end of the file",
        };
        return name.to_owned();
    }
    let text = String::from_utf8_lossy(&input[place.offset..place.offset + place.length]);
    let is_cut = text.chars().nth(LONGEST).is_some();
    let mut quoted = String::from("`");
    for char in text.chars().take(LONGEST) {
        match char.is_control() {
            true => quoted.extend(char.escape_default()),
            false => quoted.push(char),
        }
    }
    quoted + if is_cut { "...`" } else { "`" }
}
