//! The kinds of errors in a model, and their texts. `parse-error` handles the place.

use parse_error::counted;
pub use parse_error::{ArchiveKind, Note, Position};
pub(crate) use parse_error::{BOM, Span};

use prism_language::ErrorKind as ProgramError;

/// An error in a model. Its notes refer to other places in the text, and suggest what may have been
/// meant.
pub type Error = parse_error::Error<ErrorKind>;

pub(crate) type Fault = parse_error::Fault<ErrorKind>;

pub(crate) type Checked<T> = parse_error::Checked<T, ErrorKind>;

/// The kinds of errors, with the names and numbers that describe them.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The text is not JSON.
    #[error("unexpected text")]
    Syntax,
    /// The file is an archive, which was not decompressed.
    #[error("this is {archive}: {}", archive.advice())]
    Compressed {
        /// The kind of archive.
        archive: ArchiveKind,
    },
    /// The text is in UTF-16 or UTF-32.
    #[error("the text is in {encoding}, not in UTF-8: `iconv -f {encoding} -t UTF-8` converts it")]
    WideEncoding {
        /// Its encoding.
        encoding: &'static str,
    },
    /// The text has 4 GiB or more.
    #[error("the text is too long: the limit is 4 GiB")]
    TextTooLong,
    /// The text is not UTF-8.
    #[error("the text is not UTF-8")]
    NotUtf8,
    /// A string has no closing quotation mark on its line.
    #[error("the string does not end")]
    OpenString,
    /// A backslash does not begin an escape sequence.
    #[error("this is no escape of JSON")]
    BadEscape,
    /// A name contains a line end or another control character.
    #[error("a name has no control characters")]
    ControlCharacter,
    /// JANI does not allow this value here.
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
    /// An object has a member that JANI does not define.
    #[error("{what} has no member `{name}`")]
    UnknownMember {
        /// The object.
        what: &'static str,
        /// The member.
        name: String,
    },
    /// An object has two members of the same name.
    #[error("the member `{name}` occurs a second time")]
    RepeatedMember {
        /// The member.
        name: &'static str,
    },
    /// A number is too large.
    #[error("the number is too large")]
    NumberTooLarge,
    /// A part of JANI is not supported.
    #[error("{what} are not supported")]
    Unsupported {
        /// The part, in the plural.
        what: String,
    },
    /// A name is not defined.
    #[error("there is no {what} `{name}`")]
    UnknownName {
        /// The kind of thing that was expected.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// Two things of one kind have the same name.
    #[error("there is a second {what} `{name}`")]
    DuplicateName {
        /// Their kind.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// A member is not allowed in models of this type.
    #[error("{what} does not go with a model of type {model_type}")]
    WrongType {
        /// The kind of thing that has the member.
        what: &'static str,
        /// The type of the model.
        model_type: &'static str,
    },
    /// A function calls itself, directly or through other functions.
    #[error("a function depends on itself: {}", path.join(" -> "))]
    Recursive {
        /// The names of the functions, with the first one repeated at the end.
        path: Vec<String>,
    },
    /// A function is called with too few or too many arguments.
    #[error("`{name}` takes {}, not {found}", counted(*.wanted, "argument"))]
    Arity {
        /// The function.
        name: String,
        /// The number of its parameters.
        wanted: usize,
        /// The number of arguments.
        found: usize,
    },
    /// A vector has too few or too many actions.
    #[error("a vector of this model has {}, not {found}", counted(*.wanted, "element"))]
    VectorLength {
        /// The number of elements of the system, each of which needs an entry.
        wanted: usize,
        /// The number of entries.
        found: usize,
    },
    /// An expression uses a name that it cannot use, such as a variable in the value of a constant.
    #[error("{what} cannot use `{name}`")]
    NotHere {
        /// The kind of expression.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// Automata that synchronise assign to the same variable with the same index.
    #[error("two automata that move together assign to `{name}` under the same index")]
    AssignedTogether {
        /// The variable.
        name: String,
    },
    /// An edge assigns to the same variable twice with the same index.
    #[error("`{name}` is assigned twice under the same index")]
    AssignedTwice {
        /// The variable.
        name: String,
    },
    /// A number exceeds a limit of this crate.
    #[error("there are too many {what}: the limit is {limit}")]
    TooMany {
        /// The name of what is counted.
        what: &'static str,
        /// The limit.
        limit: usize,
    },
    /// An error that is also possible in PRISM's language, of types, ranges or constants.
    #[error(transparent)]
    Program(ProgramError),
}

/// Returns the error for a part that is not supported.
pub(crate) fn unsupported(span: impl Into<Span>, what: impl Into<String>) -> Box<Fault> {
    let what = what.into();
    Fault::new(span, ErrorKind::Unsupported { what })
}
