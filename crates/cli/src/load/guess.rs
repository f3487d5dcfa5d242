//! Files that are read as explicit transitions although their names do not say so.

use super::source::Source;
use crate::error::diagnostic::Diagnostic;
use prism_explicit::Error;
use std::path::Path;

/// The reason why such a file is taken for explicit transitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Guess {
    /// It begins with a number.
    ByNumber,
    /// Neither its name nor its first word says what it is.
    ByDefault,
}

impl Guess {
    /// Returns the guess that may be the reason for an error in a file.
    pub(super) fn behind(error: &Error, path: &Path, text: &[u8]) -> Option<Self> {
        use prism_explicit::ErrorKind::{Interrupted, OutOfMemory, Syntax, Truncated};
        let is_relevant = |guess: &Self| match error.kind() {
            Interrupted | OutOfMemory { .. } => false,
            Syntax | Truncated => true,
            _ => *guess == Self::ByNumber,
        };
        Source::guess(path, text).filter(is_relevant)
    }

    /// Adds to an error how the file was read, and how to have it read in another way.
    pub(super) fn explain(self, diagnostic: Diagnostic) -> Diagnostic {
        let why = match self {
            Self::ByNumber => {
                "its name does not say what kind of model the file holds, but the text begins \
                 with a number"
            }
            Self::ByDefault => {
                "neither its name nor its first word says what kind of model the file holds"
            }
        };
        diagnostic
            .note(format!(
                "{why}, so it was read as explicit transitions (.tra)"
            ))
            .note(
                "the ending of a file's name chooses the format: .tra, .pexp, .prism, .jani, \
                 .drn, .umb, .aut, .exp or .gr",
            )
    }
}
