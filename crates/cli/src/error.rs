//! The reasons why a command ends without a result, and their exit codes.

pub(crate) mod diagnostic;
pub(crate) mod render;

use crate::interrupt;
use diagnostic::Diagnostic;
use mdp_graph::OutOfMemory;
use render::Style;
use std::fmt;
use std::io;
use std::path::Path;

/// The reason why a command ended early.
#[derive(Debug)]
pub(crate) enum Error {
    /// The command line is wrong.
    Usage(String),
    /// The input, the model or a file is wrong.
    Wrong(Box<Diagnostic>),
    /// The requested GPU is missing, has failed, or cannot hold the model.
    Device(Box<Diagnostic>),
    /// The certificate of the answer was rejected.
    Rejected(String),
    /// Another process of a cluster has failed, and has sent this message.
    Elsewhere { process: usize, message: String },
    /// Another process on this machine has reported the error, and has ended or will end with this
    /// exit code.
    SaidElsewhere(u8),
    /// The search of `maxend explore` was successful, as the output says.
    Found,
    /// The user asked to stop.
    Cancelled,
    /// The reader of the output has closed it, which is not an error.
    ClosedPipe,
}

impl Error {
    /// Returns an error without a place in a file.
    pub(crate) fn wrong(message: impl Into<String>) -> Self {
        Diagnostic::new(message).into()
    }

    /// Returns the error for a file that could not be read or written.
    pub(crate) fn file(action: &str, path: &Path, source: &io::Error) -> Self {
        let file = path.display().to_string();
        let message = format!("cannot {action} {file}: {source}");
        Self::from(Diagnostic {
            file: Some(file),
            ..Diagnostic::new(message)
        })
    }

    /// Returns an error that concerns a whole file, which the message names.
    pub(crate) fn of_file(file: &str, message: impl fmt::Display) -> Self {
        Diagnostic::of_file(file, message).into()
    }

    /// Returns the error for an answer that violates an obligation of its certificate.
    pub(crate) fn rejected(violation: impl fmt::Display) -> Self {
        Self::Rejected(format!(
            "the answer is wrong, and is not printed: {violation}"
        ))
    }

    /// Returns the message, in one line, without places and notes.
    pub(crate) fn message(&self) -> String {
        match self {
            Self::Wrong(diagnostic) | Self::Device(diagnostic) => diagnostic.message.clone(),
            other => other.to_string(),
        }
    }

    /// Returns the exit code of the program.
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::ClosedPipe => 0,
            Self::Wrong(_) => 1,
            Self::Usage(_) => 2,
            Self::Device(_) | Self::Rejected(_) | Self::Elsewhere { .. } => 3,
            Self::SaidElsewhere(code) => *code,
            Self::Found => 4,
            Self::Cancelled => interrupt::EXIT_CODE,
        }
    }
}

/// Formats the error as it is printed, without colours.
impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Usage(message) | Self::Rejected(message) | Self::Elsewhere { message, .. } => {
                f.write_str(message)
            }
            Self::SaidElsewhere(_) => f.write_str("another process says why"),
            Self::Wrong(diagnostic) | Self::Device(diagnostic) => {
                let text = render::error(diagnostic, Style { colour: false });
                f.write_str(text.trim_end())
            }
            Self::Found => f.write_str("what was looked for is there"),
            Self::Cancelled => f.write_str("cancelled"),
            Self::ClosedPipe => f.write_str("nobody reads the output"),
        }
    }
}

/// A lack of memory for what a command computes has no place in a file.
impl From<OutOfMemory> for Error {
    fn from(error: OutOfMemory) -> Self {
        Self::wrong(error.to_string())
    }
}

impl From<Diagnostic> for Error {
    fn from(diagnostic: Diagnostic) -> Self {
        Self::Wrong(Box::new(diagnostic))
    }
}
