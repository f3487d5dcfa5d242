//! [`Finding`]: something that a lint forbids, and where.

use std::fmt;

use crate::Place;

/// Something that a lint forbids.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// Where.
    pub place: Place,
    /// Which lint.
    pub lint: &'static str,
    /// What is wrong.
    pub message: String,
    /// Other places that have to do with it, and how.
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
