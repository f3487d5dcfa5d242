//! [`Fault`]: an error at a position in bytes, whose line is not known yet.

use crate::error::{Error, Note, Parts};
use crate::near::nearest;
use crate::place::{Span, position, quote};
use std::borrow::Cow;

/// An error whose lines are not counted yet. Counting lines takes time in proportion to the text,
/// and of the faults that are found in parallel only one is reported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault<K> {
    /// Where; `None` if it has no place in the text.
    pub span: Option<Span>,
    /// What is wrong.
    pub kind: K,
    expected: Option<Cow<'static, str>>,
    notes: Vec<(Option<Span>, String)>,
}

/// What the functions of a parser return; the fault is boxed because it is large and rare.
pub type Checked<T, K> = Result<T, Box<Fault<K>>>;

impl<K> Fault<K> {
    /// A fault in a place.
    pub fn new(span: impl Into<Span>, kind: K) -> Box<Self> {
        Box::new(Self {
            span: Some(span.into()),
            kind,
            expected: None,
            notes: Vec::new(),
        })
    }

    /// A fault that has no place in the text.
    pub fn placeless(kind: K) -> Box<Self> {
        Box::new(Self {
            span: None,
            kind,
            expected: None,
            notes: Vec::new(),
        })
    }

    /// Says what would have been right.
    #[must_use]
    pub fn expecting(mut self: Box<Self>, what: impl Into<Cow<'static, str>>) -> Box<Self> {
        self.expected = Some(what.into());
        self
    }

    /// Adds a remark.
    #[must_use]
    pub fn note(mut self: Box<Self>, text: impl Into<String>) -> Box<Self> {
        self.notes.push((None, text.into()));
        self
    }

    /// Adds a remark about another place.
    #[must_use]
    pub fn note_at(
        mut self: Box<Self>,
        span: impl Into<Span>,
        text: impl Into<String>,
    ) -> Box<Self> {
        self.notes.push((Some(span.into()), text.into()));
        self
    }

    /// Adds "did you mean" if one of `names` is near `name`.
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

    /// Finds lines and columns in the text that the fault was found in.
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
