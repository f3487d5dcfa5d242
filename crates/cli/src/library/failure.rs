//! [`Failure`]: the reason why work ended without a result, for programs that do not print it as
//! the command line does.

use crate::error::Error;
use crate::error::diagnostic::{Diagnostic, Place};
use std::fmt;

/// The reason why there is no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The kind of the failure.
    pub kind: FailureKind,
    /// The message: what is wrong, where, and hints, in one or more lines.
    pub message: String,
    /// The file, or the archive, in which the error is, if it is in one.
    pub file: Option<String>,
    /// The line in the file, counted from 1.
    pub line: Option<u64>,
    /// The column in the line, counted from 1.
    pub column: Option<u64>,
}

/// The kind of a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FailureKind {
    /// The options contradict each other.
    Usage,
    /// The input, the model or a file is wrong, or too large.
    Model,
    /// The requested GPU is missing, has failed, or cannot hold the model.
    Device,
    /// The certificate of the answer was rejected.
    Rejected,
    /// [`Supervisor::stop`](super::Supervisor::stop) was called.
    Stopped,
}

impl Failure {
    fn new(kind: FailureKind, message: String) -> Self {
        Self {
            kind,
            message,
            file: None,
            line: None,
            column: None,
        }
    }

    fn diagnosed(kind: FailureKind, diagnostic: &Diagnostic, message: String) -> Self {
        let (file, line, column) = match &diagnostic.place {
            None => (diagnostic.file.as_ref(), None, None),
            Some(Place::Text(at)) => (Some(&at.file), Some(at.line), Some(at.column)),
            Some(Place::Entry { file, .. }) => (Some(file), None, None),
        };
        Self {
            file: file.cloned(),
            line,
            column,
            ..Self::new(kind, message)
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let text = error.to_string();
        let message = text.strip_prefix("error: ").unwrap_or(&text).to_owned();
        match &error {
            Error::Wrong(diagnostic) => Self::diagnosed(FailureKind::Model, diagnostic, message),
            Error::Device(diagnostic) => Self::diagnosed(FailureKind::Device, diagnostic, message),
            Error::Rejected(_) => Self::new(FailureKind::Rejected, message),
            Error::Cancelled => Self::new(FailureKind::Stopped, message),
            // Only commands end with the last four errors.
            Error::Usage(_)
            | Error::Found
            | Error::ClosedPipe
            | Error::Elsewhere { .. }
            | Error::SaidElsewhere(_) => Self::new(FailureKind::Usage, message),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}
