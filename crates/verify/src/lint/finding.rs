//! [`Finding`]: a violation of a lint.

use std::fmt;

use crate::Place;

/// A violation of a lint.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// The place of the violation.
    pub place: Place,
    /// The name of the lint.
    pub lint: &'static str,
    /// A description of the violation.
    pub message: String,
    /// Related places, each with an explanation.
    pub notes: Vec<(String, Place)>,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            place,
            lint,
            message,
            notes,
        } = self;
        let Place { file, line, text } = place;
        write!(f, "{file}:{line}: {message} [{lint}]\n    {text}")?;
        for (note, Place { file, line, text }) in notes {
            write!(f, "\n  {note}, {file}:{line}\n    {text}")?;
        }
        Ok(())
    }
}
