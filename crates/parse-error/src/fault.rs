//! [`Fault`]: an error whose position is known in bytes, but not in lines.

use crate::error::{Error, Note, Parts};
use crate::near::nearest;
use crate::place::{Span, position, quote};
use std::borrow::Cow;

/// An error whose line has not been computed yet. Counting lines takes time in proportion to the
/// text, and of the faults that are found in parallel only one is reported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault<K> {
    /// The place; `None` if the fault has no place in the text.
    pub span: Option<Span>,
    /// The kind of error.
    pub kind: K,
    expected: Option<Cow<'static, str>>,
    notes: Vec<(Option<Span>, String)>,
}

/// The result of a function of a parser. The fault is boxed because it is large and rare.
pub type Checked<T, K> = Result<T, Box<Fault<K>>>;

impl<K> Fault<K> {
    /// Makes a fault at a place.
    pub fn new(span: impl Into<Span>, kind: K) -> Box<Self> {
        Box::new(Self {
            span: Some(span.into()),
            kind,
            expected: None,
            notes: Vec::new(),
        })
    }

    /// Makes a fault that has no place in the text.
    pub fn placeless(kind: K) -> Box<Self> {
        Box::new(Self {
            span: None,
            kind,
            expected: None,
            notes: Vec::new(),
        })
    }

    /// Adds a description of what was expected.
    #[must_use]
    pub fn expecting(mut self: Box<Self>, what: impl Into<Cow<'static, str>>) -> Box<Self> {
        self.expected = Some(what.into());
        self
    }

    /// Adds a note.
    #[must_use]
    pub fn note(mut self: Box<Self>, text: impl Into<String>) -> Box<Self> {
        self.notes.push((None, text.into()));
        self
    }

    /// Adds a note about another place.
    #[must_use]
    pub fn note_at(
        mut self: Box<Self>,
        span: impl Into<Span>,
        text: impl Into<String>,
    ) -> Box<Self> {
        self.notes.push((Some(span.into()), text.into()));
        self
    }

    /// Adds a note "did you mean" if one of `names` is similar to `name`.
    #[must_use]
    pub fn suggest<'n>(
        self: Box<Self>,
        name: &str,
        names: impl IntoIterator<Item = &'n str>,
    ) -> Box<Self> {
        match nearest(name, names) {
            Some(near) => self.note(format!("did you mean `{near}`?")),
            None => self,
        }
    }

    /// Converts the fault to an error, with lines and columns in `text`, in which it was found.
    #[must_use]
    pub fn locate(self, text: &[u8]) -> Error<K> {
        let notes = self.notes.into_iter().map(|(span, note)| Note {
            text: note,
            position: span.map(|span| position(text, span)),
        });
        Error::of(Parts {
            kind: self.kind,
            position: self.span.map(|span| position(text, span)),
            expected: self.expected,
            found: self.span.map(|span| quote(text, span)),
            notes: notes.collect(),
        })
    }
}
