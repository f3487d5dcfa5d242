//! What can be wrong with a model, and where. This module words an error; it knows no file names and
//! draws no carets, because only the caller knows where the text came from.

use std::borrow::Cow;
use std::fmt;

use crate::ast::{Span, Type};

/// What is wrong with a model.
///
/// An error has a [kind](Error::kind) for programs, a [position](Error::position) in the text, and
/// words for people: what was [expected](Error::expected), what was [found](Error::found), and
/// [notes](Error::notes), which may point elsewhere in the text. `Display` puts kind, position and
/// expectation in one line; [`message`](Error::message) is that line without the position.
#[derive(Debug, Clone, PartialEq)]
pub struct Error(Box<Inner>);

#[derive(Debug, Clone, PartialEq)]
struct Inner {
    kind: ErrorKind,
    position: Option<Position>,
    expected: Option<Cow<'static, str>>,
    found: Option<String>,
    notes: Vec<Note>,
}

/// A remark to an error, which may point to another place than the error itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// One line of text.
    pub text: String,
    /// The place it speaks of.
    pub position: Option<Position>,
}

/// A place in the text of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    /// Bytes before the place.
    pub offset: usize,
    /// Length of the offending text in bytes; 0 at the end of the file.
    pub length: usize,
    /// Line, counted from 1; lines end at `\n`.
    pub line: u64,
    /// Column in characters (Unicode scalar values), counted from 1.
    pub column: u64,
}

impl Error {
    /// The kind of error, with its names and numbers.
    #[must_use]
    pub fn kind(&self) -> &ErrorKind {
        &self.0.kind
    }

    /// Where the error is; `None` when it has no place in the text (a constant given from outside).
    #[must_use]
    pub fn position(&self) -> Option<Position> {
        self.0.position
    }

    /// What would have been right at that place, such as `` `;` ``.
    #[must_use]
    pub fn expected(&self) -> Option<&str> {
        self.0.expected.as_deref()
    }

    /// What stands there instead: quoted text, or `the end of the file`.
    #[must_use]
    pub fn found(&self) -> Option<&str> {
        self.0.found.as_deref()
    }

    /// Remarks: where else to look, what may have been meant, in which state it happened.
    #[must_use]
    pub fn notes(&self) -> &[Note] {
        &self.0.notes
    }

    /// The error in one line, without its position and notes.
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

/// What a name can stand for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Naming {
    /// `const`
    Constant,
    /// `formula`
    Formula,
    /// A variable, global or of a module.
    Variable,
    /// `module`
    Module,
    /// `label`
    Label,
    /// `rewards`
    Rewards,
    /// A function such as `min`.
    Function,
    /// The label of a command.
    Action,
    /// Anything that may stand in an expression.
    Value,
    /// Anything that a renaming may rename.
    Renameable,
}

impl fmt::Display for Naming {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Constant => "constant",
            Self::Formula => "formula",
            Self::Variable => "variable",
            Self::Module => "module",
            Self::Label => "label",
            Self::Rewards => "reward structure",
            Self::Function => "function",
            Self::Action => "action",
            Self::Value => "variable, constant or formula",
            Self::Renameable => "variable, constant, formula or action",
        })
    }
}

/// An operation that has no result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ArithmeticError {
    /// `x / 0`
    #[error("division by zero")]
    DivisionByZero,
    /// A result outside the 64-bit integers.
    #[error("the result does not fit a 64-bit integer")]
    Overflow,
    /// `pow(2, -1)` of integers.
    #[error("an integer power needs an exponent that is not negative")]
    NegativeExponent,
    /// `mod(x, 0)`, `mod(x, -2)`
    #[error("the divisor of `mod` must be positive")]
    NonPositiveDivisor,
    /// `floor(x)` of infinity or of a number that is none.
    #[error("the value has no nearest integer")]
    NotFinite,
}

/// What is wrong with a probability or a rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BadValue {
    /// Less than 0.
    Negative,
    /// Not a number.
    NotANumber,
    /// Infinite.
    Infinite,
}

impl fmt::Display for BadValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Negative => "negative",
            Self::NotANumber => "not a number",
            Self::Infinite => "infinite",
        })
    }
}

/// What can be wrong, with the names and numbers that say how.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The text does not follow the grammar.
    #[error("unexpected text")]
    Syntax,
    /// A part of the language that is known and not supported.
    #[error("{what} are not supported")]
    Unsupported {
        /// The part, in the plural.
        what: &'static str,
    },
    /// A number in the text is too large for its type.
    #[error("the number is too large")]
    NumberTooLarge,
    /// Something grows past a limit of this crate.
    #[error("there are too many {what}: the limit is {limit}")]
    TooMany {
        /// What is counted.
        what: &'static str,
        /// How many may be.
        limit: u64,
    },
    /// A construct that may stand once stands twice.
    #[error("there is a second {what}")]
    Repeated {
        /// The construct.
        what: &'static str,
    },
    /// A name is given twice.
    #[error("the name `{name}` is taken: it is a {taken} already")]
    DuplicateName {
        /// The name.
        name: String,
        /// What it stands for at its first place.
        taken: Naming,
    },
    /// A name that nothing has.
    #[error("there is no {wanted} `{name}`")]
    UnknownName {
        /// The name.
        name: String,
        /// What it should have been.
        wanted: Naming,
    },
    /// A label with a name that model checkers define themselves.
    #[error("the label name `{name}` is reserved")]
    ReservedLabel {
        /// `init` or `deadlock`.
        name: String,
    },
    /// Constants or formulas that need each other, or modules that are renamings of each other.
    #[error("a definition needs itself: {}", path.join(" -> "))]
    Cycle {
        /// The names, the first one again at the end.
        path: Vec<String>,
    },
    /// A definition that must be known before the model runs uses a variable.
    #[error("`{name}` is a variable, and {what} must be constant")]
    NotConstant {
        /// The variable.
        name: String,
        /// What uses it.
        what: &'static str,
    },
    /// An expression has another type than its place needs.
    #[error("{what} must be of type {wanted}, not {found}")]
    TypeMismatch {
        /// The place.
        what: Cow<'static, str>,
        /// The type that it needs.
        wanted: &'static str,
        /// The type that the expression has.
        found: Type,
    },
    /// Two operands that do not go together.
    #[error("{operator} does not take {left} and {right}")]
    OperandTypes {
        /// The operator, in backticks, or a description.
        operator: &'static str,
        /// Type of the left operand.
        left: Type,
        /// Type of the right operand.
        right: Type,
    },
    /// A function with too few or too many arguments.
    #[error("`{function}` takes {wanted}, not {found}")]
    Arity {
        /// The function.
        function: &'static str,
        /// How many it takes.
        wanted: &'static str,
        /// How many stand there.
        found: u32,
    },
    /// A constant without a value.
    #[error("the constant `{name}` has no value")]
    ConstantMissing {
        /// The constant.
        name: String,
    },
    /// A value was given for a constant that the model defines itself.
    #[error("the model defines the constant `{name}` itself")]
    ConstantDefined {
        /// The constant.
        name: String,
    },
    /// A value was given twice.
    #[error("the constant `{name}` is given twice")]
    ConstantRepeated {
        /// The constant.
        name: String,
    },
    /// A range of values was given, as for a series of experiments.
    #[error("`{text}` is a range of values for `{name}`; one model needs one value")]
    ConstantRange {
        /// The constant.
        name: String,
        /// The text given.
        text: String,
    },
    /// A value that was given is none, or not of the constant's type.
    #[error("`{text}` is not a value for `{name}`, a constant of type {wanted}")]
    ConstantValue {
        /// The constant.
        name: String,
        /// The text given.
        text: String,
        /// The constant's type.
        wanted: Type,
    },
    /// An operation without a result.
    #[error("{0}")]
    Arithmetic(ArithmeticError),
    /// A variable without a value to take.
    #[error("the range of `{name}` is empty: {low} is above {high}")]
    EmptyRange {
        /// The variable.
        name: String,
        /// Its lower bound.
        low: i64,
        /// Its upper bound.
        high: i64,
    },
    /// An initial value outside the variable's range.
    #[error("`{name}` starts at {value}, outside its range [{low}..{high}]")]
    InitialValue {
        /// The variable.
        name: String,
        /// The initial value.
        value: i64,
        /// The variable's lower bound.
        low: i64,
        /// The variable's upper bound.
        high: i64,
    },
    /// Both ways of giving initial states at once.
    #[error("`{name}` has an initial value, and the model has `init ... endinit`")]
    TwoInitials {
        /// The variable.
        name: String,
    },
    /// No state satisfies `init ... endinit`.
    #[error("no state satisfies `init ... endinit`")]
    NoInitialState,
    /// A module writes what it may only read.
    #[error("module `{module}` cannot write `{name}`, a variable of module `{owner}`")]
    NotOwned {
        /// The module that writes.
        module: String,
        /// The variable.
        name: String,
        /// The module that owns it.
        owner: String,
    },
    /// A command with an action writes a global variable.
    #[error("a command with an action cannot write the global variable `{name}`")]
    GlobalInAction {
        /// The variable.
        name: String,
    },
    /// One update writes a variable twice.
    #[error("the update writes `{name}` twice")]
    WrittenTwice {
        /// The variable.
        name: String,
    },
    /// A renaming renames one name twice.
    #[error("`{name}` is renamed twice")]
    RenamedTwice {
        /// The name.
        name: String,
    },
    /// A renaming leaves a variable of its base module as it is.
    #[error("the renaming of module `{base}` must give its variable `{name}` a new name")]
    NotRenamed {
        /// The base module.
        base: String,
        /// The variable.
        name: String,
    },
    /// `system ... endsystem` leaves out a module or has it twice.
    #[error("module `{name}` stands {count} times in `system ... endsystem`, not once")]
    SystemModule {
        /// The module.
        name: String,
        /// How often it stands there.
        count: u64,
    },
    /// Operators of `system ... endsystem` that need parentheses.
    #[error("`{first}` and `{second}` cannot be mixed without parentheses")]
    MixedSystem {
        /// The operator on the left.
        first: &'static str,
        /// The operator on the right.
        second: &'static str,
    },
    /// A state's update leaves the range of a variable.
    #[error("module `{module}` sets `{variable}` to {value}, outside its range [{low}..{high}]")]
    OutOfRange {
        /// The module of the command.
        module: String,
        /// The variable.
        variable: String,
        /// The value that it would have.
        value: i64,
        /// The variable's lower bound.
        low: i64,
        /// The variable's upper bound.
        high: i64,
    },
    /// The probabilities of a command do not sum to 1.
    #[error("the probabilities of a command of module `{module}` sum to {sum}, not 1")]
    BadSum {
        /// The module of the command.
        module: String,
        /// The sum.
        sum: f64,
    },
    /// A probability or rate that is none.
    #[error("a {what} of module `{module}` is {value}, which is {fault}")]
    BadWeight {
        /// `probability` or `rate`.
        what: &'static str,
        /// The module of the command.
        module: String,
        /// The value.
        value: f64,
        /// What is wrong with it.
        fault: BadValue,
    },
}

/// An error whose place is not yet counted in lines.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Fault {
    span: Option<Span>,
    kind: ErrorKind,
    expected: Option<Cow<'static, str>>,
    notes: Vec<(Option<Span>, String)>,
}

/// The result of internal functions; the fault is boxed because it is large and rare.
pub(crate) type Checked<T> = Result<T, Box<Fault>>;

impl Fault {
    pub(crate) fn new(span: Span, kind: ErrorKind) -> Box<Self> {
        Box::new(Self {
            span: Some(span),
            kind,
            expected: None,
            notes: Vec::new(),
        })
    }

    pub(crate) fn placeless(kind: ErrorKind) -> Box<Self> {
        Box::new(Self {
            span: None,
            kind,
            expected: None,
            notes: Vec::new(),
        })
    }

    pub(crate) fn arithmetic(span: Span, error: ArithmeticError) -> Box<Self> {
        Self::new(span, ErrorKind::Arithmetic(error))
    }

    pub(crate) fn expecting(mut self: Box<Self>, what: impl Into<Cow<'static, str>>) -> Box<Self> {
        self.expected = Some(what.into());
        self
    }

    pub(crate) fn note(mut self: Box<Self>, text: impl Into<String>) -> Box<Self> {
        self.notes.push((None, text.into()));
        self
    }

    pub(crate) fn note_at(mut self: Box<Self>, span: Span, text: impl Into<String>) -> Box<Self> {
        self.notes.push((Some(span), text.into()));
        self
    }

    /// Adds "did you mean" if one of `names` is near `name`.
    pub(crate) fn suggest<'n>(
        self: Box<Self>,
        name: &str,
        names: impl IntoIterator<Item = &'n str>,
    ) -> Box<Self> {
        match crate::near::nearest(name, names) {
            Some(near) => self.note(format!("there is `{near}`")),
            None => self,
        }
    }

    /// Finds lines and columns in the text that the fault was found in.
    pub(crate) fn locate(self, text: &[u8]) -> Error {
        let found = match (&self.expected, self.span) {
            (Some(_), Some(span)) => Some(quote(text, span)),
            _ => None,
        };
        let notes = self.notes.into_iter().map(|(span, note)| Note {
            text: note,
            position: span.map(|span| position(text, span)),
        });
        Error(Box::new(Inner {
            kind: self.kind,
            position: self.span.map(|span| position(text, span)),
            expected: self.expected,
            found,
            notes: notes.collect(),
        }))
    }
}

fn position(text: &[u8], span: Span) -> Position {
    let before = &text[..span.start()];
    let line_start = before.iter().rposition(|&byte| byte == b'\n');
    let mut columns = &before[line_start.map_or(0, |newline| newline + 1)..];
    if line_start.is_none() {
        columns = columns.strip_prefix(crate::lexer::BOM).unwrap_or(columns);
    }
    Position {
        offset: span.start(),
        length: span.end() - span.start(),
        line: before.iter().filter(|&&byte| byte == b'\n').count() as u64 + 1,
        column: columns.iter().filter(|&&b| b & 0xC0 != 0x80).count() as u64 + 1,
    }
}

/// The offending text in backticks, cut short, or a name for what is missing.
fn quote(text: &[u8], span: Span) -> String {
    const LONGEST: usize = 40;
    if span.is_empty() {
        return "the end of the file".to_owned();
    }
    let text = String::from_utf8_lossy(&text[span.start()..span.end()]);
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
