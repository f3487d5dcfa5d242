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
    /// Where, if it is a place in a file.
    pub(crate) place: Option<Place>,
    /// The file as a whole, if there is no place in it.
    pub(crate) file: Option<String>,
    /// What was expected, what may have been meant, where else to look.
    pub(crate) notes: Vec<Note>,
}

/// A place in a file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// In a text.
    Text(Excerpt),
    /// In an archive.
    Entry {
        /// The file that is the archive.
        file: String,
        /// The path of the entry in it.
        entry: String,
        /// Which of the entry's numbers, if it is one of them.
        element: Option<u64>,
    },
}

/// A remark, which may have a place of its own.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Note {
    /// One line of text.
    pub(crate) text: String,
    /// The place that it is about.
    pub(crate) place: Option<Place>,
}

impl Diagnostic {
    /// An error without a place.
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            place: None,
            file: None,
            notes: Vec::new(),
        }
    }

    /// An error of a file as a whole, which the message names.
    pub(crate) fn of_file(file: &str, message: impl fmt::Display) -> Self {
        Self {
            file: Some(file.to_owned()),
            ..Self::new(format!("{file}: {message}"))
        }
    }

    /// Adds a remark without a place.
    pub(crate) fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(Note {
            text: text.into(),
            place: None,
        });
        self
    }

    /// All remarks in one line, with their places; `None` if there are none.
    pub(crate) fn notes_in_line(&self) -> Option<String> {
        let notes = self.notes.iter().map(ToString::to_string);
        let notes: Vec<String> = notes.collect();
        (!notes.is_empty()).then(|| notes.join("; "))
    }
}

/// The file, and where in it.
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
