//! The files of an archive that is being made.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::write::payload::Payload;

/// Files in the order in which they are written, which are found by their paths.
#[derive(Debug, Default)]
pub(super) struct Entries<'a> {
    files: Vec<(Cow<'a, str>, Payload<'a>)>,
    /// The position of each path.
    positions: HashMap<Cow<'a, str>, usize>,
}

impl<'a> Entries<'a> {
    /// Adds a file, or replaces the one with the same path.
    pub(super) fn put(&mut self, path: impl Into<Cow<'a, str>>, payload: Payload<'a>) {
        let path = path.into();
        match self.positions.get(&path) {
            Some(&position) => self.files[position].1 = payload,
            None => {
                self.positions.insert(path.clone(), self.files.len());
                self.files.push((path, payload));
            }
        }
    }

    /// Removes the files in a folder, whose name ends with a slash.
    pub(super) fn remove_folder(&mut self, folder: &str) {
        let before = self.files.len();
        self.files.retain(|(path, _)| !path.starts_with(folder));
        if self.files.len() < before {
            let paths = self.files.iter().map(|(path, _)| path.clone());
            self.positions = paths.zip(0..).collect();
        }
    }

    /// Returns the paths and contents of the files, in order.
    pub(super) fn iter(&self) -> impl ExactSizeIterator<Item = &(Cow<'a, str>, Payload<'a>)> {
        self.files.iter()
    }

    /// Returns the content of the file at a position.
    pub(super) fn payload(&self, position: usize) -> &Payload<'a> {
        &self.files[position].1
    }
}
