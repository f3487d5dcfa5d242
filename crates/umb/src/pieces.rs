//! [`Pieces`]: several archives that together form one.

use std::io::{self, Write};

use crate::archive::Archive;
use crate::error::{Error, ErrorKind};
use crate::write::write_files;

/// Archives that each contain a piece of every file of a larger archive. The concatenation of the
/// pieces of a file, in the order of the archives, is that file.
///
/// ```
/// use umb::{Pieces, write_files};
///
/// let piece = |text: &[u8]| -> std::io::Result<Vec<u8>> {
///     let mut piece = Vec::new();
///     write_files(&mut piece, [("a.bin", text.len() as u64)], |_, out| out.write_all(text))?;
///     Ok(piece)
/// };
/// let (first, second) = (piece(b"in two ")?, piece(b"pieces")?);
/// let mut pieces = Pieces::default();
/// pieces.push(&first)?;
/// pieces.push(&second)?;
/// let mut whole = Vec::new();
/// pieces.write(&mut whole)?;
/// assert_eq!(whole, piece(b"in two pieces")?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct Pieces<'a> {
    pieces: Vec<Archive<'a>>,
}

impl<'a> Pieces<'a> {
    /// Adds the next piece, an archive that is not compressed.
    ///
    /// # Errors
    ///
    /// If it is not a complete archive, or has other files than the pieces before it.
    pub fn push(&mut self, bytes: &'a [u8]) -> Result<(), Error> {
        let piece = Archive::read(bytes)?;
        if let Some(first) = self.pieces.first() {
            let [mut expected, mut found] =
                [first, &piece].map(|all| all.iter().map(|file| file.0));
            loop {
                match (expected.next(), found.next()) {
                    (None, None) => break,
                    (expected, found) if expected == found => {}
                    (Some(path), _) | (None, Some(path)) => {
                        return Err(Error::in_entry(path, ErrorKind::OtherFiles));
                    }
                }
            }
        }
        self.pieces.push(piece);
        Ok(())
    }

    /// Returns the paths of the files of the whole archive, and their sizes.
    fn files(&self) -> Vec<(&str, u64)> {
        let Some(first) = self.pieces.first() else {
            return Vec::new();
        };
        let mut files: Vec<(&str, u64)> = first.iter().map(|(path, _)| (path, 0)).collect();
        for piece in &self.pieces {
            for ((_, bytes), (_, len)) in piece.iter().zip(&mut files) {
                *len += bytes.len() as u64;
            }
        }
        files
    }

    /// Writes the whole archive.
    ///
    /// # Errors
    ///
    /// Errors of `out`, or a path that is too long for a tar archive.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        write_files(out, self.files(), |number, out| {
            let mut pieces = self
                .pieces
                .iter()
                .filter_map(|piece| piece.iter().nth(number));
            pieces.try_for_each(|(_, bytes)| out.write_all(bytes))
        })
    }
}
