//! Reader of weighted directed graphs in the format of the ninth DIMACS implementation challenge,
//! *Shortest Paths* (`.gr`).
//!
//! ```text
//! c a comment
//! p sp 3 4          3 vertices, 4 arcs; once, before all arcs
//! a 1 2 -7          an arc from vertex 1 to vertex 2 of weight -7
//! ```
//!
//! ```
//! let graph = dimacs::read(b"p sp 2 2\na 1 2 5\na 2 1 -3\n", None)?;
//! assert_eq!(graph.num_vertices, 2);
//! assert_eq!(graph.arcs[1], dimacs::Arc { source: 1, target: 0, weight: -3 });
//! # Ok::<(), dimacs::Error>(())
//! ```
//!
//! Vertices are numbered from 1 in a file and from 0 here. There may be any number of blanks
//! between words, and lines may end in CRLF. The counts in the problem line must be correct. This
//! crate does not know about files or graphs: it reads bytes, and returns arcs.

#![forbid(unsafe_code)]

mod error;
mod read;

pub use error::{ArchiveKind, Error, ErrorKind, Position};
pub use read::{Arc, Graph, read};
