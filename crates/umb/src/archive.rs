//! The tar archive: its entries, and the positions of their bytes. This module does not interpret
//! the contents of the entries.

use std::collections::BTreeMap;
use std::io::Cursor;
use std::ops::Range;

use tar::EntryType;

use crate::error::{Error, ErrorKind};

/// Tar archives consist of blocks of this many bytes.
pub(crate) const BLOCK: usize = 512;

/// Returns the number of bytes of an archive that an entry with this many bytes takes up: its
/// header, its content, and zeros up to the end of a block.
pub(crate) fn bytes_taken(bytes: u64) -> u64 {
    let block = BLOCK as u64;
    block + bytes.next_multiple_of(block)
}

/// Returns whether `input` starts like a tar archive.
#[must_use]
pub fn is_tar(input: &[u8]) -> bool {
    input.get(257..262) == Some(b"ustar") || starts_as_version_7(input)
}

/// Returns whether `input` starts with a header as tar wrote it before the format was named: it is
/// known by its checksum alone.
fn starts_as_version_7(input: &[u8]) -> bool {
    const CHECKSUM: Range<usize> = 148..156;
    let Some(header) = input.first_chunk::<BLOCK>() else {
        return false;
    };
    let digits = header[CHECKSUM].trim_ascii_start();
    let digits = digits.split(|byte| !matches!(byte, b'0'..=b'7')).next();
    let digits = digits.and_then(|digits| std::str::from_utf8(digits).ok());
    let stored = digits.and_then(|digits| u32::from_str_radix(digits, 8).ok());
    // The checksum counts itself as blanks.
    let blanks = CHECKSUM.len() as u32 * u32::from(b' ');
    let bytes = header.iter().enumerate();
    let counted = bytes.filter(|(place, _)| !CHECKSUM.contains(place));
    let sum: u32 = counted.map(|(_, &byte)| u32::from(byte)).sum();
    header[0] != 0 && stored == Some(sum + blanks)
}

/// The entries of an archive, by path.
#[derive(Debug, Clone)]
pub(crate) struct Archive<'a> {
    bytes: &'a [u8],
    /// Paths and positions of the entries, in the order of the archive.
    entries: Vec<(String, Range<usize>)>,
    by_path: BTreeMap<String, usize>,
}

impl<'a> Archive<'a> {
    /// Finds the entries of a plain tar archive. Folders and comments are skipped, and a leading
    /// `./` is removed.
    pub(crate) fn read(bytes: &'a [u8]) -> Result<Self, Error> {
        check_kind(bytes)?;
        let mut archive = Self {
            bytes,
            entries: Vec::new(),
            by_path: BTreeMap::new(),
        };
        let mut tar = tar::Archive::new(Cursor::new(bytes));
        let mut end = 0;
        let damaged = |end: usize, error: &std::io::Error| {
            let reason = one_line(&error.to_string());
            Error::new(ErrorKind::BadTar {
                offset: end as u64,
                reason,
            })
        };
        let entries = tar
            .entries_with_seek()
            .map_err(|error| damaged(end, &error))?;
        for entry in entries {
            let entry = entry.map_err(|error| damaged(end, &error))?;
            let range = archive.range(entry.raw_file_position(), entry.size())?;
            end = range.end.next_multiple_of(BLOCK);
            match entry.header().entry_type() {
                // The last one has attributes of all entries, such as a comment.
                EntryType::Directory | EntryType::XGlobalHeader => {}
                // Before there was a type of folders, their paths ended like this.
                EntryType::Regular if range.is_empty() && entry.path_bytes().ends_with(b"/") => {}
                EntryType::Regular | EntryType::Continuous => {
                    archive.insert(&entry.path_bytes(), range)?;
                }
                other => {
                    let found = char::from(other.as_byte());
                    return Err(Error::new(ErrorKind::EntryType { found }));
                }
            }
        }
        // Entries are optional, so an archive that was cut off between two entries would be a
        // different model.
        match bytes.get(end..end.saturating_add(BLOCK)) {
            Some(marker) if marker.iter().all(|&byte| byte == 0) => Ok(archive),
            _ => Err(Error::new(ErrorKind::NoEndMarker)),
        }
    }

    /// Returns the position of the content of an entry, which must lie within the archive.
    fn range(&self, start: u64, size: u64) -> Result<Range<usize>, Error> {
        let present = self.bytes.len() as u64;
        let needed = start.saturating_add(size);
        if needed > present {
            return Err(Error::new(ErrorKind::TruncatedTar { needed, present }));
        }
        Ok(start as usize..needed as usize)
    }

    fn insert(&mut self, path: &[u8], range: Range<usize>) -> Result<(), Error> {
        let Ok(path) = std::str::from_utf8(path) else {
            let path = String::from_utf8_lossy(path).into_owned();
            return Err(Error::new(ErrorKind::EntryName { path }));
        };
        let path = path.trim_start_matches("./").trim_start_matches('/');
        if self.by_path.contains_key(path) {
            return Err(Error::in_entry(path, ErrorKind::DuplicateEntry));
        }
        self.by_path.insert(path.to_owned(), self.entries.len());
        self.entries.push((path.to_owned(), range));
        Ok(())
    }

    /// Returns the content of the entry with this path, if there is one.
    pub(crate) fn get(&self, path: &str) -> Option<&'a [u8]> {
        let &number = self.by_path.get(path)?;
        Some(&self.bytes[self.entries[number].1.clone()])
    }

    /// Returns the content of an entry that must exist.
    pub(crate) fn require(&self, path: &str, needed_for: &'static str) -> Result<&'a [u8], Error> {
        self.get(path)
            .ok_or_else(|| Error::in_entry(path, ErrorKind::MissingEntry { needed_for }))
    }

    /// Paths and contents, in the order of the archive.
    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &'a [u8])> {
        self.entries
            .iter()
            .map(|(path, range)| (path.as_str(), &self.bytes[range.clone()]))
    }
}

/// Refuses input that is not a tar archive. The error names the format if it is known.
fn check_kind(bytes: &[u8]) -> Result<(), Error> {
    if is_tar(bytes) {
        return Ok(());
    }
    Err(Error::new(match parse_error::ArchiveKind::find(bytes) {
        Some((_, archive)) => ErrorKind::Compressed { archive },
        None => ErrorKind::NotAnArchive,
    }))
}

/// Returns the text, with all characters escaped that could break a line.
fn one_line(text: &str) -> String {
    text.chars()
        .flat_map(|c| {
            let keep = !c.is_control();
            keep.then_some(c)
                .into_iter()
                .chain((!keep).then(|| c.escape_default()).into_iter().flatten())
        })
        .collect()
}
