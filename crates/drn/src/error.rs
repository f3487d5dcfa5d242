//! The kinds of errors in a file, and their texts. `parse-error` handles the place.

pub use parse_error::{ArchiveKind, Position};
pub(crate) use parse_error::{BOM, Span};
use parse_error::{OutOfMemory, counted};

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
    /// The file ends before `@model`.
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
    /// The lines of the text end in carriage returns alone.
    #[error("the lines end in carriage returns alone: `tr '\\r' '\\n'` makes line feeds of them")]
    CarriageReturns,
    /// A name is not UTF-8.
    #[error("the name is not UTF-8 text")]
    NotUtf8,
    /// A label is empty.
    #[error("the label is empty")]
    EmptyLabel,
    /// A keyword occurs twice in the header.
    #[error("`{keyword}` occurs a second time")]
    Repeated {
        /// The keyword, with its `@`.
        keyword: &'static str,
    },
    /// A keyword is missing in the header.
    #[error("the header has no `{keyword}`")]
    Missing {
        /// The keyword, with its `@`.
        keyword: &'static str,
    },
    /// A type of model or of values is not supported.
    #[error("{what} `{name}` is not supported{why}")]
    Unsupported {
        /// The kind of thing that is not supported.
        what: &'static str,
        /// Its name in the file.
        name: String,
        /// The reason: either empty, or a text that begins with a colon.
        why: &'static str,
    },
    /// The model has parameters.
    #[error("parametric models are not supported")]
    Parameters,
    /// An interval is found where the header does not announce any, or where a reward or rate is
    /// expected.
    #[error("an interval is not possible here")]
    Interval,
    /// An interval lacks its ends.
    #[error("open intervals are not supported")]
    OpenInterval,
    /// The lower bound of an interval is above its upper bound.
    #[error("the interval is empty: {low} is above {high}")]
    EmptyInterval {
        /// The lower bound.
        low: f64,
        /// The upper bound.
        high: f64,
    },
    /// The intervals of an action do not contain a distribution.
    #[error("the intervals of the action hold no distribution: they sum to [{low},{high}]")]
    BadIntervals {
        /// The sum of the lower bounds.
        low: f64,
        /// The sum of the upper bounds.
        high: f64,
    },
    /// A placeholder has no value.
    #[error("the placeholder has no value in the header")]
    UnknownPlaceholder,
    /// A number is too large.
    #[error("the number is larger than {limit}")]
    NumberTooLarge {
        /// The largest number that is allowed.
        limit: u64,
    },
    /// A number is not valid as a probability, rate or reward.
    #[error("the value is {0}")]
    BadValue(BadValue),
    /// A count in the header does not agree with the model.
    #[error("the header says {}, the model has {found}", counted(*.header, what))]
    CountMismatch {
        /// The name of what is counted, in the singular.
        what: &'static str,
        /// The number in the header.
        header: u64,
        /// The number found in the model.
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
    /// There are more states in the header than a file of this size can contain.
    #[error(
        "{} cannot fit into the {} after `@model`",
        counted(*.claimed, "state"),
        counted(*.bytes, "byte")
    )]
    UnbackedStates {
        /// The number of states in the header.
        claimed: u64,
        /// The size of the text after `@model`, in bytes.
        bytes: u64,
    },
    /// A state is not the next one.
    #[error("state {found} is where state {expected} must follow")]
    StateOrder {
        /// The state that was expected.
        expected: u64,
        /// The state that was found.
        found: u64,
    },
    /// A state is not below the number of states.
    #[error("state {state} is out of range")]
    StateOutOfRange {
        /// The state.
        state: u64,
        /// The number of states in the header.
        num_states: u32,
    },
    /// A state of a Markov chain has a second action.
    #[error("state {state} of a {model_type} has a second action")]
    SecondAction {
        /// The state.
        state: u32,
        /// The type of the model.
        model_type: crate::ModelType,
    },
    /// An action has no branch.
    #[error("the action has no branch")]
    NoBranch,
    /// All branches of an action have value 0.
    #[error("all branches of the action have probability 0")]
    AllZero,
    /// The probabilities of an action do not sum to 1.
    #[error("the probabilities of the action sum to {sum}, not to 1")]
    BadSum {
        /// The sum of the probabilities.
        sum: f64,
    },
    /// The rates of a state do not sum to its exit rate.
    #[error("the rates sum to {sum}, the exit rate of the state is {exit_rate}")]
    BadExitRate {
        /// The sum of the rates.
        sum: f64,
        /// The number after `!`.
        exit_rate: f64,
    },
    /// The number of rewards is not the number of reward models.
    #[error("the number of rewards is {found}, that of reward models is {expected}")]
    RewardCount {
        /// The number of reward models.
        expected: usize,
        /// The number of rewards.
        found: usize,
    },
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

/// The reason why a number is not valid as a probability, a rate or a reward.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BadValue {
    /// It is less than 0.
    #[error("negative")]
    Negative,
    /// It is infinite.
    #[error("infinite")]
    Infinite,
    /// It is not a number, or its denominator is 0.
    #[error("not a number")]
    NotANumber,
}
