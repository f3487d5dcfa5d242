//! [`Diagnostic`]: an error with its place and with hints. The errors of all readers are converted
//! to this form before they are printed or logged.

mod excerpt;
mod from;

pub(crate) use excerpt::Excerpt;

use std::fmt;

/// An error message.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Diagnostic {
    /// What is wrong, in one line.
    pub(crate) message: String,
    /// The place of the error, if it is in a file.
    pub(crate) place: Option<Place>,
    /// The file, if the error concerns the whole file.
    pub(crate) file: Option<String>,
    /// Notes: what was expected, what may have been meant, or where else to look.
    pub(crate) notes: Vec<Note>,
}

/// A place in a file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// A place in a text.
    Text(Excerpt),
    /// A place in an archive.
    Entry {
        /// The file of the archive.
        file: String,
        /// The path of the entry in the archive.
        entry: String,
        /// The index of the wrong number in the entry, if a single number is wrong.
        element: Option<u64>,
    },
}

/// A note, which may have a separate place.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Note {
    /// One line of text.
    pub(crate) text: String,
    /// The place that the note refers to.
    pub(crate) place: Option<Place>,
}

impl Diagnostic {
    /// Returns an error without a place.
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            place: None,
            file: None,
            notes: Vec::new(),
        }
    }

    /// Returns an error that concerns a whole file, which the message names.
    pub(crate) fn of_file(file: &str, message: impl fmt::Display) -> Self {
        Self {
            file: Some(file.to_owned()),
            ..Self::new(format!("{file}: {message}"))
        }
    }

    /// Adds a note without a place.
    pub(crate) fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(Note {
            text: text.into(),
            place: None,
        });
        self
    }

    /// Returns all notes in one line, with their places; `None` if there are none.
    pub(crate) fn notes_in_line(&self) -> Option<String> {
        let notes = self.notes.iter().map(ToString::to_string);
        let notes: Vec<String> = notes.collect();
        (!notes.is_empty()).then(|| notes.join("; "))
    }
}

/// Formats the file, and the place in it.
impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(at) => write!(f, "{}:{}:{}", at.file, at.line, at.column),
            Self::Entry {
                file,
                entry,
                element: None,
            } => write!(f, "{file}: {entry}"),
            Self::Entry {
                file,
                entry,
                element: Some(element),
            } => write!(f, "{file}: {entry}, element {element}"),
        }
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            None => f.write_str(&self.text),
            Some(place) => write!(f, "{} ({place})", self.text),
        }
    }
}
