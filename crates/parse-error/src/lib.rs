//! The error of a text parser: its kind, its place, what was expected, and what was found there.
//!
//! A parser defines its own kinds of errors. While it reads, it makes [`Fault`]s, whose place is a
//! [`Span`] of bytes. The fault that is reported is converted to an [`Error`], which has a line and
//! a column.
//!
//! ```
//! use parse_error::{Fault, Span};
//! use std::fmt;
//!
//! #[derive(Debug)]
//! struct NotANumber;
//!
//! impl fmt::Display for NotANumber {
//!     fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
//!         f.write_str("not a number")
//!     }
//! }
//!
//! let text = b"1 2\n3 x";
//! let place = Span { offset: 6, length: 1 };
//! let error = Fault::new(place, NotANumber).expecting("a state").locate(text);
//! let line = "line 2, column 3: not a number: expected a state, found `x`";
//! assert_eq!(error.to_string(), line);
//! ```
//!
//! An error has no file name and no carets, because only the caller knows where the text came from.
//!
//! Lists that grow with the text get their memory from [`reserve`] and [`push`], whose error,
//! [`OutOfMemory`], becomes a fault.

#![forbid(unsafe_code)]

mod advance;
mod archive;
mod counted;
mod encoding;
mod error;
mod fault;
mod memory;
mod near;
mod parallel;
mod place;

/// A file may claim this many more states than it has bytes. Each state that the file mentions
/// takes at least one byte, so this is needed only for states without transitions that no
/// transition leads to.
pub const STATE_SLACK: u64 = 1 << 20;

pub use advance::advance;
pub use archive::ArchiveKind;
pub use counted::counted;
pub use encoding::{has_carriage_returns_only, wide_encoding};
pub use error::{Error, Note};
pub use fault::{Checked, Fault};
pub use memory::{OutOfMemory, check_room, push, reserve, reserve_exact};
pub use near::nearest;
pub use parallel::{read_chunks, read_in_order};
pub use place::{BOM, Lines, Position, Span};
