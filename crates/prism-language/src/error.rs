//! An error in a model. `parse-error` handles the place; the kinds of errors, and their texts, are
//! in `kind`.

mod kind;
mod naming;

use crate::ast::Span;

pub use kind::{ArithmeticError, BadValue, ErrorKind};
pub use naming::Naming;
pub(crate) use parse_error::BOM;
pub use parse_error::{ArchiveKind, Note, Position};

/// An error in a model. Its notes refer to other places in the text, suggest what may have been
/// meant, and show the state in which the error occurred.
pub type Error = parse_error::Error<ErrorKind>;

pub(crate) type Fault = parse_error::Fault<ErrorKind>;

pub(crate) type Checked<T> = parse_error::Checked<T, ErrorKind>;

impl From<Span> for parse_error::Span {
    fn from(span: Span) -> Self {
        Self {
            offset: span.start(),
            length: span.end() - span.start(),
        }
    }
}
