//! The kinds of errors in a file, and their texts. `parse-error` handles the place.

use parse_error::OutOfMemory;
pub use parse_error::{ArchiveKind, Position};

/// An error in a file.
pub type Error = parse_error::Error<ErrorKind>;

pub(crate) type Fault = parse_error::Fault<ErrorKind>;

pub(crate) type Checked<T> = parse_error::Checked<T, ErrorKind>;

/// The kinds of errors.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The text does not follow the format.
    #[error("unexpected text")]
    Syntax,
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
    /// There is no line `p sp n m`.
    #[error("there is no problem line")]
    MissingProblemLine,
    /// There are two such lines.
    #[error("there are two problem lines")]
    TwoProblems,
    /// The line belongs to a file for another problem of DIMACS.
    #[error("the problem is not `sp`, shortest paths")]
    OtherProblem,
    /// A number is too large.
    #[error("the number does not fit {0} bits")]
    TooLarge(u32),
    /// A vertex does not exist.
    #[error("vertex {vertex} is out of range: vertices are counted from 1 to {vertices}")]
    Vertex {
        /// The number of the vertex in the file.
        vertex: u64,
        /// The number of vertices.
        vertices: u32,
    },
    /// The number of arcs in the problem line is not the number of arc lines.
    #[error("the number of arcs in the problem line is {stated}, but the file has {found}")]
    Count {
        /// The number in the problem line.
        stated: u64,
        /// The number of arcs.
        found: u64,
    },
    /// The problem line claims more vertices than a file of this size may claim.
    #[error(
        "{claimed} vertices are too many for a file of {bytes} bytes, which may claim {limit} at most"
    )]
    Unbacked {
        /// The number in the problem line.
        claimed: u64,
        /// The size of the text in bytes.
        bytes: u64,
        /// The largest number of vertices that a text of this size may claim.
        limit: u64,
    },
    /// There is not enough memory.
    #[error("out of memory: {bytes} bytes were needed")]
    OutOfMemory {
        /// The number of bytes that were requested.
        bytes: u64,
    },
    /// The interrupt of the caller was set.
    #[error("interrupted")]
    Interrupted,
}

impl From<OutOfMemory> for ErrorKind {
    fn from(error: OutOfMemory) -> Self {
        Self::OutOfMemory { bytes: error.bytes }
    }
}
