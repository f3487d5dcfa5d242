//! What can be wrong with a file, and where.

use std::fmt;

/// What is wrong with a file: a kind for programs, a place in the text, and words for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    pub(crate) kind: ErrorKind,
    pub(crate) position: Option<Position>,
    pub(crate) expected: Option<&'static str>,
    pub(crate) found: Option<String>,
}

/// A place in the text that was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    /// Bytes before the place.
    pub offset: usize,
    /// Length of the offending text in bytes; 0 where something is missing.
    pub length: usize,
    /// Line, counted from 1.
    pub line: u64,
    /// Column in characters, counted from 1.
    pub column: u64,
}

/// What can be wrong.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The text does not follow the format.
    #[error("unexpected text")]
    Syntax,
    /// There is no line `p sp n m`.
    #[error("there is no problem line")]
    NoProblem,
    /// There are two such lines.
    #[error("there are two problem lines")]
    TwoProblems,
    /// The line is that of another problem of DIMACS.
    #[error("the problem is not `sp`, shortest paths")]
    OtherProblem,
    /// A number does not fit.
    #[error("the number does not fit {0} bits")]
    TooLarge(u32),
    /// There is no such vertex.
    #[error("vertex {vertex} is out of range: vertices are counted from 1 to {vertices}")]
    Vertex {
        /// As it stands in the file.
        vertex: u64,
        /// How many there are.
        vertices: u32,
    },
    /// The problem line counts other arcs than there are.
    #[error("the number of arcs in the problem line is {stated}, but the file has {found}")]
    Count {
        /// The number in the problem line.
        stated: u64,
        /// The number of arcs.
        found: u64,
    },
    /// More vertices than a file of this size may claim.
    #[error(
        "{claimed} vertices are too many for a file of {bytes} bytes, which may claim {limit} at most"
    )]
    Unbacked {
        /// The number in the problem line.
        claimed: u64,
        /// The size of the text.
        bytes: u64,
        /// The most vertices that a text of this size may claim.
        limit: u64,
    },
    /// The caller's interrupt was set.
    #[error("interrupted")]
    Interrupted,
}

impl Error {
    /// What is wrong, with its numbers.
    #[must_use]
    pub fn kind(&self) -> &ErrorKind {
        &self.kind
    }

    /// Where; `None` if it is at no place of the text.
    #[must_use]
    pub fn position(&self) -> Option<Position> {
        self.position
    }

    /// What would have been right there.
    #[must_use]
    pub fn expected(&self) -> Option<&str> {
        self.expected
    }

    /// What stands there instead: quoted text, or `the end of the line`.
    #[must_use]
    pub fn found(&self) -> Option<&str> {
        self.found.as_deref()
    }

    /// An error about `length` bytes of `text` from `offset` on.
    pub(crate) fn at(text: &[u8], offset: usize, length: usize, kind: ErrorKind) -> Self {
        let before = &text[..offset];
        let start = memchr::memrchr(b'\n', before).map_or(0, |newline| newline + 1);
        let found = String::from_utf8_lossy(&text[offset..offset + length]);
        let cut: String = found.chars().take(40).collect();
        Self {
            kind,
            position: Some(Position {
                offset,
                length,
                line: memchr::memchr_iter(b'\n', before).count() as u64 + 1,
                column: String::from_utf8_lossy(&before[start..]).chars().count() as u64 + 1,
            }),
            expected: None,
            found: Some(match length {
                0 => "the end of the line".to_owned(),
                _ => format!("`{}`", cut.escape_debug()),
            }),
        }
    }

    pub(crate) fn expecting(mut self, what: &'static str) -> Self {
        self.expected = Some(what);
        self
    }

    /// An error at no place of the text.
    pub(crate) fn placeless(kind: ErrorKind) -> Self {
        Self {
            kind,
            position: None,
            expected: None,
            found: None,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(Position { line, column, .. }) = self.position {
            write!(f, "line {line}, column {column}: ")?;
        }
        self.kind.fmt(f)?;
        if let Some(expected) = self.expected {
            write!(f, ": expected {expected}")?;
            if let Some(found) = &self.found {
                write!(f, ", found {found}")?;
            }
        }
        Ok(())
    }
}

impl std::error::Error for Error {}
