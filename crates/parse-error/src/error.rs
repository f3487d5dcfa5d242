//! [`Error`]: an error with line and column, for callers.

use crate::place::{END_OF_FILE, Position};
use std::borrow::Cow;
use std::fmt;

/// An error that was found while reading a text.
///
/// An error has a [kind](Error::kind) for programs, a [position](Error::position) in the text, and
/// descriptions for users: what was [expected](Error::expected), what was [found](Error::found),
/// and [notes](Error::notes), which may refer to other places in the text. `Display` prints kind,
/// position and expectation on one line; [`message`](Error::message) is that line without the
/// position, for callers that show the position in their own way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error<K>(Box<Parts<K>>);

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Parts<K> {
    pub(crate) kind: K,
    pub(crate) position: Option<Position>,
    pub(crate) expected: Option<Cow<'static, str>>,
    pub(crate) found: Option<String>,
    pub(crate) notes: Vec<Note>,
}

/// A note about an error, which may refer to another place than the error itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// One line of text.
    pub text: String,
    /// The place that the note refers to.
    pub position: Option<Position>,
}

impl<K> Error<K> {
    /// Makes an error that has no place in the text.
    pub fn placeless(kind: K) -> Self {
        Self::of(Parts {
            kind,
            position: None,
            expected: None,
            found: None,
            notes: Vec::new(),
        })
    }

    pub(crate) fn of(parts: Parts<K>) -> Self {
        Self(Box::new(parts))
    }

    /// Replaces the kind of the error, for a reader that uses another one.
    #[must_use]
    pub fn map<L>(self, kind: impl FnOnce(K) -> L) -> Error<L> {
        let parts = *self.0;
        Error::of(Parts {
            kind: kind(parts.kind),
            position: parts.position,
            expected: parts.expected,
            found: parts.found,
            notes: parts.notes,
        })
    }

    /// Converts the error for a text that is the part of `whole` that begins at byte `start`, at
    /// the beginning of a line.
    #[must_use]
    pub fn within(mut self, whole: &[u8], start: usize) -> Self {
        let lines = whole[..start].iter().filter(|&&byte| byte == b'\n');
        let lines = lines.count() as u64;
        let notes = self.0.notes.iter_mut().map(|note| &mut note.position);
        for position in notes.chain([&mut self.0.position]).flatten() {
            position.offset += start;
            position.line += lines;
        }
        self
    }

    /// Converts the error for a text that is not a file but, for instance, `the expression`.
    #[must_use]
    pub fn in_place_of_file(mut self, what: &str) -> Self {
        if self.0.found.as_deref() == Some(END_OF_FILE) {
            self.0.found = Some(format!("the end of {what}"));
        }
        self
    }

    /// Returns the kind of the error, with its names and numbers.
    #[must_use]
    pub fn kind(&self) -> &K {
        &self.0.kind
    }

    /// Returns the position of the error; `None` if it has no place in the text (an interrupt, or
    /// lack of memory).
    #[must_use]
    pub fn position(&self) -> Option<Position> {
        self.0.position
    }

    /// Returns a description of what was expected at that place, such as `a target state`.
    #[must_use]
    pub fn expected(&self) -> Option<&str> {
        self.0.expected.as_deref()
    }

    /// Returns a description of what was found instead: a quoted text, or `the end of the line`.
    #[must_use]
    pub fn found(&self) -> Option<&str> {
        self.0.found.as_deref()
    }

    /// Notes that refer to other places, or suggest what may have been meant.
    #[must_use]
    pub fn notes(&self) -> &[Note] {
        &self.0.notes
    }
}

impl<K: fmt::Display> Error<K> {
    /// Returns the error on one line, without its position and notes.
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

impl<K: fmt::Display> fmt::Display for Error<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(Position { line, column, .. }) = self.0.position {
            write!(f, "line {line}, column {column}: ")?;
        }
        f.write_str(&self.message())
    }
}

impl<K: fmt::Debug + fmt::Display> std::error::Error for Error<K> {}
