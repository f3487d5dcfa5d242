//! The tar archive: its entries, and the positions of their bytes. This module does not interpret
//! the contents of the entries.

use std::borrow::Cow;
use std::io::Cursor;
use std::ops::Range;

use tar::EntryType;

use crate::error::{Error, ErrorKind};
use crate::tar_fault::{self, BLOCK};

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
    /// Paths and positions of the entries, in the order of the archive. Most paths are used in
    /// place: there may be millions.
    entries: Vec<(Cow<'a, str>, Range<usize>)>,
    /// The indices of the entries, in the order of their paths.
    by_path: Vec<usize>,
}

impl<'a> Archive<'a> {
    /// Finds the entries of a plain tar archive. Folders and comments are skipped, and a leading
    /// `./` is removed.
    pub(crate) fn read(bytes: &'a [u8]) -> Result<Self, Error> {
        check_kind(bytes)?;
        let mut archive = Self {
            bytes,
            entries: Vec::new(),
            by_path: Vec::new(),
        };
        let mut tar = tar::Archive::new(Cursor::new(bytes));
        let mut end = 0;
        let entries = tar
            .entries_with_seek()
            .map_err(|_| tar_fault::find(bytes, end))?;
        for entry in entries {
            let entry = entry.map_err(|_| tar_fault::find(bytes, end))?;
            let in_entry = |kind| match std::str::from_utf8(&entry.path_bytes()) {
                Ok(path) => Error::in_entry(path, kind),
                Err(_) => Error::new(kind),
            };
            let range = archive.range(entry.raw_file_position(), entry.size());
            let range = range.map_err(in_entry)?;
            end = range.end.next_multiple_of(BLOCK);
            match entry.header().entry_type() {
                // The last one has attributes of all entries, such as a comment.
                EntryType::Directory | EntryType::XGlobalHeader => {}
                // Before there was a type of folders, their paths ended like this.
                EntryType::Regular if range.is_empty() && entry.path_bytes().ends_with(b"/") => {}
                EntryType::Regular | EntryType::Continuous => {
                    let header = entry.raw_header_position() as usize;
                    archive.push(header, &entry.path_bytes(), range)?;
                }
                other => {
                    let found = char::from(other.as_byte());
                    return Err(in_entry(ErrorKind::EntryType { found }));
                }
            }
        }
        // Entries are optional, so an archive that was cut off between two entries would be a
        // different model.
        match bytes.get(end..end.saturating_add(BLOCK)) {
            Some(marker) if marker.iter().all(|&byte| byte == 0) => archive.sorted(),
            _ => Err(Error::new(ErrorKind::NoEndMarker)),
        }
    }

    /// Returns the position of the content of an entry, which must lie within the archive.
    fn range(&self, start: u64, size: u64) -> Result<Range<usize>, ErrorKind> {
        let present = self.bytes.len() as u64;
        let needed = start.saturating_add(size);
        if needed > present {
            return Err(ErrorKind::TruncatedTar { needed, present });
        }
        Ok(start as usize..needed as usize)
    }

    /// Adds the entry whose header is at `header`.
    fn push(&mut self, header: usize, path: &[u8], range: Range<usize>) -> Result<(), Error> {
        // Long paths are not in one piece.
        let in_header = self
            .bytes
            .get(header..)
            .and_then(|all| all.get(..path.len()));
        let read = match in_header {
            Some(same) if same == path => std::str::from_utf8(same).map(Cow::Borrowed),
            _ => std::str::from_utf8(path).map(|path| Cow::Owned(path.to_owned())),
        };
        let path = read.map_err(|_| {
            let path = String::from_utf8_lossy(path).into_owned();
            Error::new(ErrorKind::EntryName { path })
        })?;
        let all = &mut self.entries;
        let room = all.try_reserve(1);
        room.map_err(|_| out_of_memory(2 * size_of_val(all.as_slice())))?;
        all.push((without_root(path), range));
        Ok(())
    }

    /// Sorts the paths, none of which may be there twice.
    fn sorted(mut self) -> Result<Self, Error> {
        let path = |&number: &usize| &*self.entries[number].0;
        let mut by_path = Vec::new();
        let count = self.entries.len();
        (by_path.try_reserve_exact(count))
            .map_err(|_| out_of_memory(count * size_of::<usize>()))?;
        by_path.extend(0..count);
        // Of entries with the same path, the first comes first.
        by_path.sort_unstable_by_key(|number| (path(number), *number));
        let repeated = by_path
            .windows(2)
            .filter(|pair| path(&pair[0]) == path(&pair[1]));
        if let Some(again) = repeated.map(|pair| pair[1]).min() {
            return Err(Error::in_entry(path(&again), ErrorKind::DuplicateEntry));
        }
        self.by_path = by_path;
        Ok(self)
    }

    /// Returns the content of the entry with this path, if there is one.
    pub(crate) fn get(&self, path: &str) -> Option<&'a [u8]> {
        let path_of = |&number: &usize| self.entries[number].0.as_ref().cmp(path);
        let place = self.by_path.binary_search_by(path_of).ok()?;
        Some(&self.bytes[self.entries[self.by_path[place]].1.clone()])
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
            .map(|(path, range)| (path.as_ref(), &self.bytes[range.clone()]))
    }

    /// Paths and contents, in the order of the archive. Paths that are in the archive are not
    /// copied.
    pub(crate) fn files(&self) -> impl ExactSizeIterator<Item = (Cow<'a, str>, &'a [u8])> {
        self.entries
            .iter()
            .map(|(path, range)| (path.clone(), &self.bytes[range.clone()]))
    }
}

fn out_of_memory(bytes: usize) -> Error {
    let bytes = bytes as u64;
    Error::new(ErrorKind::OutOfMemory { bytes })
}

/// Returns a path without the names of the current and of the root folder before it.
fn without_root(path: Cow<'_, str>) -> Cow<'_, str> {
    let trim = |path: &str| path.trim_start_matches("./").trim_start_matches('/').len();
    let skipped = path.len() - trim(&path);
    match path {
        Cow::Borrowed(path) => Cow::Borrowed(&path[skipped..]),
        Cow::Owned(mut path) => {
            path.drain(..skipped);
            Cow::Owned(path)
        }
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
