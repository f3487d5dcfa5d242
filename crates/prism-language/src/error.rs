//! An error and its places. It knows no file names and draws no carets, because only the caller
//! knows where the text came from; what can be wrong, and the words for it, are in `kind`.

mod kind;

use std::borrow::Cow;
use std::fmt;

use crate::ast::Span;

pub use kind::{ArithmeticError, BadValue, ErrorKind, Naming};

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

/// May stand at the start of a file; says nothing in UTF-8.
pub(crate) const BOM: &[u8] = b"\xEF\xBB\xBF";

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
            Some(near) => self.note(format!("did you mean `{near}`?")),
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
        columns = columns.strip_prefix(BOM).unwrap_or(columns);
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
