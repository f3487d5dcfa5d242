//! The bytes of an archive. It is recorded if a decoder asks for more bytes than there are.

use crate::error::{Error, Format};
use std::fmt;
use std::io::{self, Read};

/// The bytes of an archive that have not been read yet.
pub(crate) struct Source<'i> {
    left: &'i [u8],
    format: Format,
    is_exhausted: bool,
}

impl<'i> Source<'i> {
    pub(crate) fn new(archive: &'i [u8], format: Format) -> Self {
        Self {
            left: archive,
            format,
            is_exhausted: false,
        }
    }

    pub(crate) fn left(&self) -> &'i [u8] {
        self.left
    }

    /// Converts the error of the decoder.
    pub(crate) fn wrong(&self, reason: &dyn fmt::Display) -> Error {
        let format = self.format;
        match self.is_exhausted {
            true => Error::Truncated { format },
            false => Error::damaged(format, reason),
        }
    }
}

impl Read for Source<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.is_exhausted |= self.left.is_empty() && !buffer.is_empty();
        self.left.read(buffer)
    }
}
