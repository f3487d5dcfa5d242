//! What can be wrong with a file, and where. This module words an error in one line; it knows no
//! file names and draws no carets, because only the caller knows where the text came from.

use std::borrow::Cow;
use std::fmt;

use crate::model_type::ModelType;

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
    /// Length of the offending text in bytes; 0 where something is missing.
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

    /// An error that has no place in the text.
    pub(crate) fn placeless(kind: ErrorKind) -> Self {
        Self(Box::new(Inner {
            kind,
            position: None,
            expected: None,
            found: None,
        }))
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

/// The kinds of files of an explicit model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum FileKind {
    /// `.tra`
    Transitions,
    /// `.sta`
    States,
    /// `.lab`
    Labels,
    /// `.obs`
    Observations,
    /// `.srew`
    StateRewards,
    /// `.trew`
    TransitionRewards,
    /// `.drn`
    Drn,
    /// `.pexp`
    Combined,
}

impl fmt::Display for FileKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Transitions => "a transitions file (.tra)",
            Self::States => "a states file (.sta)",
            Self::Labels => "a labels file (.lab)",
            Self::Observations => "an observations file (.obs)",
            Self::StateRewards => "a state rewards file (.srew)",
            Self::TransitionRewards => "a transition rewards file (.trew)",
            Self::Drn => "a model in Storm's DRN format (.drn)",
            Self::Combined => "one of PRISM's combined files (.pexp)",
        })
    }
}

/// What a header counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counted {
    /// States of the model.
    States,
    /// Choices of all states together.
    Choices,
    /// Lines, each one branch of one choice.
    Transitions,
    /// Lines of a rewards file.
    Rewards,
}

impl fmt::Display for Counted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::States => "states",
            Self::Choices => "choices",
            Self::Transitions => "transitions",
            Self::Rewards => "rewards",
        })
    }
}

/// What is wrong with the value of a branch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BadValue {
    /// `NaN`, or `0/0`.
    NotANumber,
    /// Less than 0.
    Negative,
    /// Infinite, or too large for a 64-bit floating-point number.
    Infinite,
}

impl fmt::Display for BadValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotANumber => "not a number",
            Self::Negative => "negative",
            Self::Infinite => "infinite",
        })
    }
}

/// Says that models of a type are not read.
fn unsupported(name: &str) -> String {
    match name.eq_ignore_ascii_case("MA") {
        true => "Markov automata are not supported yet".to_owned(),
        false => format!("models of type {name} are not supported"),
    }
}

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
    /// A comment or the first line says that this is another kind of file.
    #[error("this is {found}, not {wanted}")]
    OtherFile {
        /// The kind that the reader reads.
        wanted: FileKind,
        /// The kind that the file says it is.
        found: FileKind,
    },
    /// The file begins as a gzip archive does: it was not inflated.
    #[error(
        "this is a gzip archive, not {wanted}: inflate it first, with `gunzip` or the crate of that name"
    )]
    Compressed {
        /// The kind that the reader reads.
        wanted: FileKind,
    },
    /// The file says that it holds a model of a type that is not read.
    #[error("{}", unsupported(name))]
    UnsupportedType {
        /// The type as it stands in the file.
        name: String,
    },
    /// A value is an interval `[lo,hi]`.
    #[error("interval models are not supported")]
    Interval,
    /// The type asked for cannot be that of this file.
    #[error("the model was to be read as {asked}, but the file holds {held}")]
    TypeConflict {
        /// The type in [`ReadOptions`](crate::ReadOptions) or in the file's type comment.
        asked: ModelType,
        /// What the header or Storm's type word says.
        held: &'static str,
    },
    /// The header and the lines disagree.
    #[error("the header says {header} {what}, the file has {found}")]
    CountMismatch {
        /// What was counted.
        what: Counted,
        /// The number in the header.
        header: u64,
        /// The number in the lines that follow.
        found: u64,
    },
    /// A number does not fit.
    #[error("the number is larger than {limit}")]
    NumberTooLarge {
        /// The largest number that would do.
        limit: u64,
    },
    /// More states than the caller allows.
    #[error("the number of states, {claimed}, is above the limit of {limit}")]
    TooManyStates {
        /// States that the file claims: in its header or, by an index, at least.
        claimed: u64,
        /// [`ReadOptions::max_states`](crate::ReadOptions::max_states).
        limit: u64,
    },
    /// More states than a file of this size may claim.
    #[error(
        "the number of states, {claimed}, is too large for a file of {bytes} B, which may claim {limit} at most"
    )]
    UnbackedStates {
        /// States that the file claims: in its header or, by an index, at least.
        claimed: u64,
        /// The size of the text.
        bytes: u64,
        /// [`STATE_SLACK`](crate::STATE_SLACK) more than that.
        limit: u64,
    },
    /// A state index is not below the number of states.
    #[error("state {state} is out of range")]
    StateOutOfRange {
        /// The index.
        state: u32,
        /// The number of states that the header gives.
        num_states: u32,
    },
    /// A line's state is smaller than that of a line above.
    #[error("state {state} comes after state {previous}")]
    StateDecreases {
        /// The state of the line above.
        previous: u32,
        /// The state of this line.
        state: u32,
    },
    /// A state's choices do not count 0, 1, 2, ...
    #[error("choice {found} of state {state} is out of order")]
    ChoiceOrder {
        /// The state.
        state: u32,
        /// The choice's index in the file.
        found: u32,
    },
    /// The same state, choice and target as on a line above.
    #[error("the branch to state {target} is given twice")]
    DuplicateBranch {
        /// The state.
        state: u32,
        /// Its choice.
        choice: u32,
        /// The target of both lines.
        target: u32,
    },
    /// A transition of a labelled transition system has the choice index of the one before.
    #[error("choice {choice} of state {state} has two transitions")]
    LtsChoice {
        /// The state.
        state: u32,
        /// Its choice.
        choice: u32,
    },
    /// The lines of one choice name different actions.
    #[error("choice {choice} of state {state} has two actions")]
    TwoActions {
        /// The state.
        state: u32,
        /// Its choice.
        choice: u32,
    },
    /// An action is not an identifier.
    #[error("an action must be an identifier")]
    BadAction,
    /// A value is not a finite number of at least 0.
    #[error("the value is {0}")]
    BadValue(BadValue),
    /// The probabilities of a choice do not sum to 1.
    #[error("the probabilities of state {state}, choice {choice} sum to {sum}, not 1")]
    BadSum {
        /// The state.
        state: u32,
        /// Its choice.
        choice: u32,
        /// The sum.
        sum: f64,
    },
    /// All branches of a choice have value 0.
    #[error("all branches of state {state}, choice {choice} have value 0")]
    AllZero {
        /// The state.
        state: u32,
        /// Its choice.
        choice: u32,
    },
    /// A row of a states file has too few or too many values.
    #[error(
        "the number of values in the row of state {state} is {found}, that of the variables is {expected}"
    )]
    WrongArity {
        /// The state.
        state: u32,
        /// The number of variables.
        expected: u64,
        /// The number of values.
        found: u64,
    },
    /// The rows of a states file do not count 0, 1, 2, ...
    #[error("row {found} stands where row {expected} should")]
    RowOrder {
        /// The index that this row should have.
        expected: u32,
        /// The index that it has.
        found: u32,
    },
    /// A variable has values of two types.
    #[error("variable {variable} has values of two types")]
    MixedTypes {
        /// The name of the variable.
        variable: String,
    },
    /// A name is declared twice.
    #[error("{name} is declared twice")]
    DuplicateName {
        /// The variable or label.
        name: String,
    },
    /// A label is used but not declared.
    #[error("label {name} is not declared")]
    UndeclaredLabel {
        /// The label's name, or its number in PRISM's format.
        name: String,
    },
    /// A state has the same label twice.
    #[error("state {state} has label {name} twice")]
    RepeatedLabel {
        /// The state.
        state: u32,
        /// The label.
        name: String,
    },
    /// The header counts other states than the model has.
    #[error("the header says {header} states, the model has {model}")]
    OtherModel {
        /// The number in the header.
        header: u64,
        /// The number of states of the model.
        model: u32,
    },
    /// A reward is for a transition that the model does not have.
    #[error("the model has no transition from state {state} by choice {choice} to state {target}")]
    NoTransition {
        /// The state.
        state: u32,
        /// Its choice.
        choice: u32,
        /// The target.
        target: u32,
    },
    /// A transition has two rewards.
    #[error(
        "the transition from state {state} by choice {choice} to state {target} has two rewards"
    )]
    RepeatedReward {
        /// The state.
        state: u32,
        /// Its choice.
        choice: u32,
        /// The target.
        target: u32,
    },
    /// There is not enough memory.
    #[error("out of memory: {bytes} bytes were needed")]
    OutOfMemory {
        /// The request that failed.
        bytes: u64,
    },
    /// The caller's [interrupt](crate::ReadOptions::interrupt) was set.
    #[error("interrupted")]
    Interrupted,
}

/// The byte order mark that some editors put before UTF-8 text.
pub(crate) const BOM: &[u8] = b"\xEF\xBB\xBF";

/// Refuses input that begins with the two bytes of every gzip archive. No text does.
pub(crate) fn refuse_gzip(input: &[u8], wanted: FileKind) -> Checked<()> {
    const MAGIC: &[u8] = &[0x1F, 0x8B];
    let place = Span {
        offset: 0,
        length: MAGIC.len(),
    };
    match input.starts_with(MAGIC) {
        true => Err(Fault::new(place, ErrorKind::Compressed { wanted })),
        false => Ok(()),
    }
}

/// An error whose line is not counted yet. Counting lines takes time in proportion to the file, and
/// while chunks are parsed in parallel only one of many faults is reported.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Fault {
    pub(crate) place: Option<Span>,
    pub(crate) kind: ErrorKind,
    pub(crate) expected: Option<Cow<'static, str>>,
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
        let Some(place) = self.place else {
            return Error::placeless(self.kind);
        };
        Error(Box::new(Inner {
            kind: self.kind,
            position: Some(position(input, place)),
            expected: self.expected,
            found: Some(quote(input, place)),
        }))
    }
}

fn position(input: &[u8], place: Span) -> Position {
    let before = &input[..place.offset];
    let line_start = memchr::memrchr(b'\n', before).map_or(0, |newline| newline + 1);
    let mut columns = &before[line_start..];
    if line_start == 0 {
        columns = columns.strip_prefix(BOM).unwrap_or(columns);
    }
    Position {
        offset: place.offset,
        length: place.length,
        line: memchr::memchr_iter(b'\n', before).count() as u64 + 1,
        column: columns.iter().filter(|&&b| b & 0xC0 != 0x80).count() as u64 + 1,
    }
}

/// The offending text in backticks, cut short, or a name for what is missing.
fn quote(input: &[u8], place: Span) -> String {
    const LONGEST: usize = 40;
    if place.length == 0 {
        let rest = &input[place.offset..];
        let at_line_end = rest.starts_with(b"\n") || rest.starts_with(b"\r\n");
        let name = if at_line_end {
            "the end of the line"
        } else {
            "the end of the file"
        };
        return name.to_owned();
    }
    let text = &input[place.offset..place.offset + place.length];
    let text = String::from_utf8_lossy(text);
    let cut = if text.chars().nth(LONGEST).is_some() {
        "..."
    } else {
        ""
    };
    let mut quoted = String::from("`");
    for char in text.chars().take(LONGEST) {
        match char.is_control() {
            true => quoted.extend(char.escape_default()),
            false => quoted.push(char),
        }
    }
    quoted + cut + "`"
}
