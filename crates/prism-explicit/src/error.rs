//! The kinds of errors in a file, and their texts. `parse-error` handles the place.

use std::fmt;

use model_type::ModelType;
use parse_error::{OutOfMemory, counted, has_carriage_returns_only, wide_encoding};

pub use parse_error::{ArchiveKind, Position};
pub(crate) use parse_error::{BOM, Span};

/// An error that was found while reading a file.
pub type Error = parse_error::Error<ErrorKind>;

pub(crate) type Fault = parse_error::Fault<ErrorKind>;

pub(crate) type Checked<T> = parse_error::Checked<T, ErrorKind>;

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

/// The things that a header counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counted {
    /// States of the model.
    States,
    /// Choices of all states together.
    Choices,
    /// Lines, each of which is one branch of a choice.
    Transitions,
    /// Lines of a rewards file.
    Rewards,
}

impl Counted {
    /// Returns the name of one such thing.
    fn noun(self) -> &'static str {
        match self {
            Self::States => "state",
            Self::Choices => "choice",
            Self::Transitions => "transition",
            Self::Rewards => "reward",
        }
    }
}

impl fmt::Display for Counted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}s", self.noun())
    }
}

/// The reason why the value of a branch is not valid.
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

/// Returns the message that models of a type are not supported.
fn unsupported(name: &str) -> String {
    match name.eq_ignore_ascii_case("MA") {
        true => "Markov automata are not supported yet".to_owned(),
        false => format!("models of type {name} are not supported"),
    }
}

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
    /// A comment or the first line shows that this is another kind of file.
    #[error("this is {found}, not {wanted}")]
    OtherFile {
        /// The kind of file that was expected.
        wanted: FileKind,
        /// The kind of file that was found.
        found: FileKind,
    },
    /// A combined file has two sections of one kind.
    #[error("the file has this section already: {kind}")]
    RepeatedSection {
        /// The kind of section.
        kind: FileKind,
    },
    /// The file is an archive, which was not decompressed.
    #[error("this is {archive}, not {wanted}: {}", archive.advice())]
    Compressed {
        /// The kind of archive.
        archive: ArchiveKind,
        /// The kind of file that was expected.
        wanted: FileKind,
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
    /// The type of the model in the file is not supported.
    #[error("{}", unsupported(name))]
    UnsupportedType {
        /// The type as it stands in the file.
        name: String,
    },
    /// A value is an interval `[lo,hi]`, in a model that may not have intervals.
    #[error("a model of type {model_type} has no intervals of probabilities")]
    Interval {
        /// The type.
        model_type: ModelType,
    },
    /// The lower bound of an interval is above its upper bound.
    #[error("the interval is empty: {low} is above {high}")]
    EmptyInterval {
        /// The lower bound.
        low: f64,
        /// The upper bound.
        high: f64,
    },
    /// The type that was asked for is not possible for this file.
    #[error("the model was to be read as {asked}, but the file holds {held}")]
    TypeConflict {
        /// The type in [`ReadOptions`](crate::ReadOptions) or in the file's type comment.
        asked: ModelType,
        /// A description of the type in the header, or of Storm's type word.
        held: &'static str,
    },
    /// The header and the lines disagree.
    #[error("the header says {}, the file has {found}", counted(*.header, what.noun()))]
    CountMismatch {
        /// What was counted.
        what: Counted,
        /// The number in the header.
        header: u64,
        /// The number in the lines that follow.
        found: u64,
    },
    /// A number is too large.
    #[error("the number is larger than {limit}")]
    NumberTooLarge {
        /// The largest number that is allowed.
        limit: u64,
    },
    /// There are more states than the caller allows.
    #[error("the number of states, {claimed}, is above the limit of {limit}")]
    TooManyStates {
        /// The number of states that the file claims in its header, or at least needs because of an
        /// index.
        claimed: u64,
        /// [`ReadOptions::max_states`](crate::ReadOptions::max_states).
        limit: u64,
    },
    /// The file claims more states than a file of this size may claim.
    #[error(
        "the number of states, {claimed}, is too large for a file of {bytes} B, which may claim {limit} at most"
    )]
    UnbackedStates {
        /// The number of states that the file claims in its header, or at least needs because of an
        /// index.
        claimed: u64,
        /// The size of the text in bytes.
        bytes: u64,
        /// The limit, which is the size plus [`STATE_SLACK`](crate::STATE_SLACK).
        limit: u64,
    },
    /// A state index is not below the number of states.
    #[error("state {state} is out of range")]
    StateOutOfRange {
        /// The index.
        state: u32,
        /// The number of states in the header.
        num_states: u32,
    },
    /// An observation is not below the number of observations.
    #[error("observation {observation} is out of range")]
    ObservationOutOfRange {
        /// The observation.
        observation: u32,
        /// The number of observations in the header.
        count: u32,
    },
    /// A state has another observation than on an earlier line.
    #[error("state {state} has observation {first} on a line above, and {second} here")]
    TwoObservations {
        /// The state.
        state: u32,
        /// The observation on the earlier line.
        first: u32,
        /// The observation on this line.
        second: u32,
    },
    /// A state has no observation.
    #[error("no line gives the observation of state {state}")]
    NoObservation {
        /// The state.
        state: u32,
    },
    /// The state of a line is smaller than that of an earlier line.
    #[error("state {state} comes after state {previous}")]
    StateDecreases {
        /// The state of the earlier line.
        previous: u32,
        /// The state of this line.
        state: u32,
    },
    /// The choices of a state are not numbered 0, 1, 2, ...
    #[error("choice {found} of state {state} is out of order")]
    ChoiceOrder {
        /// The state.
        state: u32,
        /// The index of the choice in the file.
        found: u32,
    },
    /// A line has the same state, choice and target as an earlier line.
    #[error("the branch to state {target} is given twice")]
    DuplicateBranch {
        /// The state.
        state: u32,
        /// Its choice.
        choice: u32,
        /// The target of both lines.
        target: u32,
    },
    /// A transition of a labelled transition system has the same choice index as the one before it.
    #[error("choice {choice} of state {state} has two transitions")]
    LtsChoice {
        /// The state.
        state: u32,
        /// Its choice.
        choice: u32,
    },
    /// The lines of a choice have different actions.
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
    /// The intervals of a choice do not contain a distribution.
    #[error(
        "the intervals of state {state}, choice {choice} hold no distribution: they sum to \
         [{low},{high}]"
    )]
    BadIntervals {
        /// The state.
        state: u32,
        /// Its choice.
        choice: u32,
        /// The sum of the lower bounds.
        low: f64,
        /// The sum of the upper bounds.
        high: f64,
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
    /// The rows of a states file are not numbered 0, 1, 2, ...
    #[error("row {found} is where row {expected} should be")]
    RowOrder {
        /// The index that was expected.
        expected: u32,
        /// The index that was found.
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
        /// The name of the label, or its number in PRISM's format.
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
    /// The number of states in the header is not that of the model.
    #[error("the header says {}, the model has {model}", counted(*.header, "state"))]
    OtherModel {
        /// The number in the header.
        header: u64,
        /// The number of states of the model.
        model: u32,
    },
    /// The number of choices in the header is not that of the model.
    #[error("the header says {}, the model has {model}", counted(*.header, "choice"))]
    OtherChoices {
        /// The number in the header.
        header: u64,
        /// The number of choices of the model.
        model: u64,
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

/// Refuses an archive, text in another encoding, and text whose lines would be one.
pub(crate) fn check_encoding(input: &[u8], wanted: FileKind) -> Checked<()> {
    if let Some((place, archive)) = ArchiveKind::find(input) {
        return Err(Fault::new(place, ErrorKind::Compressed { archive, wanted }));
    }
    match wide_encoding(input) {
        Some(encoding) => Err(Fault::placeless(ErrorKind::WideEncoding { encoding })),
        None if has_carriage_returns_only(input) => {
            Err(Fault::placeless(ErrorKind::CarriageReturns))
        }
        None => Ok(()),
    }
}
