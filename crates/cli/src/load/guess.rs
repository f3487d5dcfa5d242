//! Files that are read as explicit transitions although their names do not say so.

use super::source::{Source, after_hashes, word};
use crate::error::diagnostic::Diagnostic;
use prism_explicit::{Error, ModelType};
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
    /// Returns the reason why a file is taken for explicit transitions, if its name does not say
    /// so; `None` if the file is of another kind, or its text names the type of the model.
    fn of(path: &Path, text: &[u8]) -> Option<Self> {
        let start = after_hashes(text);
        let (first, _) = word(start);
        let is_type =
            std::str::from_utf8(first).is_ok_and(|word| word.parse::<ModelType>().is_ok());
        let is_other =
            Source::by_name(path).is_some() || Source::by_content(text) != Source::Explicit;
        if is_type || is_other {
            return None;
        }
        Some(match start.first().is_some_and(u8::is_ascii_digit) {
            true => Self::ByNumber,
            false => Self::ByDefault,
        })
    }

    /// Returns the guess that may be the reason for an error in a file.
    pub(super) fn behind(error: &Error, path: &Path, text: &[u8]) -> Option<Self> {
        use prism_explicit::ErrorKind::{Interrupted, OutOfMemory, Syntax, Truncated};
        let is_relevant = |guess: &Self| match error.kind() {
            Interrupted | OutOfMemory { .. } => false,
            Syntax | Truncated => true,
            _ => *guess == Self::ByNumber,
        };
        Self::of(path, text).filter(is_relevant)
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

#[cfg(test)]
mod tests {
    use super::Guess;
    use std::path::Path;

    #[test]
    fn a_kind_is_guessed_if_neither_name_nor_content_tells() {
        for (name, text, guess) in [
            ("-", "", Some(Guess::ByDefault)),
            ("x.md", "maxend finds", Some(Guess::ByDefault)),
            ("x.md", "# maxend\n\nmaxend finds", Some(Guess::ByDefault)),
            ("-", "# Transitions (MDP)", Some(Guess::ByDefault)),
            ("x.mtx", "%%MatrixMarket", Some(Guess::ByDefault)),
            ("x", "-1\n", Some(Guess::ByDefault)),
            ("x.tra", "maxend finds", None),
            ("x.nm", "maxend finds", None),
            ("-", "1 1\n0 0 x\n", Some(Guess::ByNumber)),
            ("x.txt", "0 1\n1 2\n", Some(Guess::ByNumber)),
            ("x.tra", "0 1\n1 2\n", None),
            ("-", "mdp\n0 0 x\n", None),
            ("-", "MDP\n0 0 x\n", None),
            ("-", "# Transitions (MDP)\n1 1 1 x\n", Some(Guess::ByNumber)),
            ("-", "module m", None),
            ("-", "@type: MDP", None),
        ] {
            assert_eq!(
                Guess::of(Path::new(name), text.as_bytes()),
                guess,
                "{name} {text}"
            );
        }
    }
}
