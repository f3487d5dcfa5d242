//! The kinds of errors in a model, and their texts. `parse-error` handles the place.

pub(crate) use parse_error::{BOM, Span};
pub use parse_error::{Note, Position};

use prism_language::ErrorKind as ProgramError;

/// What is wrong with a model. Its notes say where else to look, and what may have been meant.
pub type Error = parse_error::Error<ErrorKind>;

pub(crate) type Fault = parse_error::Fault<ErrorKind>;

pub(crate) type Checked<T> = parse_error::Checked<T, ErrorKind>;

/// What can be wrong, with the names and numbers that say how.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The text is not JSON.
    #[error("unexpected text")]
    Syntax,
    /// The file begins as a gzip archive does: it was not inflated.
    #[error("this is a gzip archive: inflate it first, with `gunzip`")]
    Compressed,
    /// The text is in UTF-16 or UTF-32.
    #[error("the text is in {encoding}, not in UTF-8: `iconv -f {encoding} -t UTF-8` converts it")]
    WideEncoding {
        /// Its encoding.
        encoding: &'static str,
    },
    /// A text of 4 GiB or more.
    #[error("the text is too long: the limit is 4 GiB")]
    TextTooLong,
    /// Bytes that are no UTF-8.
    #[error("the text is not UTF-8")]
    NotUtf8,
    /// A string without its second quotation mark on the line.
    #[error("the string does not end")]
    OpenString,
    /// A backslash with something that is no escape after it.
    #[error("this is no escape of JSON")]
    BadEscape,
    /// A name with a line end or another control character.
    #[error("a name has no control characters")]
    ControlCharacter,
    /// Another value than JANI has here.
    #[error("unexpected value")]
    Unexpected,
    /// A member of an object is missing.
    #[error("{what} needs the member `{name}`")]
    MissingMember {
        /// The object.
        what: &'static str,
        /// The member.
        name: &'static str,
    },
    /// A member that JANI does not know.
    #[error("{what} has no member `{name}`")]
    UnknownMember {
        /// The object.
        what: &'static str,
        /// The member.
        name: String,
    },
    /// An object has two members of one name.
    #[error("the member `{name}` stands here a second time")]
    RepeatedMember {
        /// The member.
        name: &'static str,
    },
    /// A number that does not fit.
    #[error("the number is too large")]
    NumberTooLarge,
    /// A part of JANI that is known and not supported.
    #[error("{what} are not supported")]
    Unsupported {
        /// The part, in the plural.
        what: String,
    },
    /// A name that nothing has.
    #[error("there is no {what} `{name}`")]
    UnknownName {
        /// What it should have been.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// Two things have one name.
    #[error("there is a second {what} `{name}`")]
    DuplicateName {
        /// What they are.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// A member that models of this type do not have.
    #[error("{what} does not go with a model of type {model_type}")]
    WrongType {
        /// What has it.
        what: &'static str,
        /// The type of the model.
        model_type: &'static str,
    },
    /// A function that needs itself.
    #[error("a function needs itself: {}", path.join(" -> "))]
    Recursive {
        /// The names, the first one again at the end.
        path: Vec<String>,
    },
    /// A function with too few or too many arguments.
    #[error("`{name}` takes {}, not {found}", counted(*.wanted, "argument"))]
    Arity {
        /// The function.
        name: String,
        /// How many it takes.
        wanted: usize,
        /// How many stand there.
        found: usize,
    },
    /// A vector with too few or too many actions.
    #[error("a vector of this model has {}, not {found}", counted(*.wanted, "element"))]
    VectorLength {
        /// One for each element of the system.
        wanted: usize,
        /// How many stand there.
        found: usize,
    },
    /// A value of a constant or bound that needs what is not known beforehand, and the like.
    #[error("{what} cannot use `{name}`")]
    NotHere {
        /// The place.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// Automata that move together assign to one variable at once.
    #[error("two automata that move together assign to `{name}` under the same index")]
    AssignedTogether {
        /// The variable.
        name: String,
    },
    /// An edge assigns to one variable twice under the same index.
    #[error("`{name}` is assigned twice under the same index")]
    AssignedTwice {
        /// The variable.
        name: String,
    },
    /// Something grows past a limit of this crate.
    #[error("there are too many {what}: the limit is {limit}")]
    TooMany {
        /// What is counted.
        what: &'static str,
        /// How many may be.
        limit: usize,
    },
    /// What a model in PRISM's language can have wrong, too: types, ranges, constants.
    #[error(transparent)]
    Program(ProgramError),
}

/// The fault of a part that is not supported.
pub(crate) fn unsupported(span: impl Into<Span>, what: impl Into<String>) -> Box<Fault> {
    let what = what.into();
    Fault::new(span, ErrorKind::Unsupported { what })
}

/// A number with what it counts, which is in the plural unless there is one.
fn counted(number: usize, what: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {what}{plural}")
}
