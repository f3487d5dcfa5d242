//! The reason why the tar reader has refused an archive, in the words of this crate: the reader
//! gives only text about its own internals.

use tar::Header;

use crate::error::{Error, ErrorKind};

/// Tar archives consist of blocks of this many bytes.
pub(crate) const BLOCK: usize = 512;

/// The bytes of the checksum in a header. The checksum counts itself as blanks.
const CHECKSUM: std::ops::Range<usize> = 148..156;

/// Returns the error for the headers from `start` on, the first that the reader did not accept.
/// Several headers may belong to one entry: some have the long path of the entry behind them.
pub(crate) fn find(bytes: &[u8], start: usize) -> Error {
    let mut at = start;
    let mut seen = Vec::new();
    while let Some(block) = bytes.get(at..at.saturating_add(BLOCK)) {
        if at > start && block.iter().all(|&byte| byte == 0) {
            break;
        }
        let header = Header::from_byte_slice(block);
        let size = match content_size(header, at as u64) {
            Ok(size) => size,
            Err(kind) => return in_entry(header, kind),
        };
        let content = at as u64 + BLOCK as u64;
        let needed = content.saturating_add(size);
        let present = bytes.len() as u64;
        if needed > present {
            return in_entry(header, ErrorKind::TruncatedTar { needed, present });
        }
        let kind = header.entry_type();
        if kind.is_gnu_sparse() {
            let found = char::from(kind.as_byte());
            return in_entry(header, ErrorKind::EntryType { found });
        }
        let describes_next =
            kind.is_gnu_longname() || kind.is_gnu_longlink() || kind.is_pax_local_extensions();
        if !describes_next || seen.contains(&kind) {
            break;
        }
        seen.push(kind);
        at = (needed as usize).next_multiple_of(BLOCK);
    }
    let present = bytes.len() as u64;
    Error::new(match bytes.len().checked_sub(at) {
        Some(rest) if rest >= BLOCK => ErrorKind::BadTar { offset: at as u64 },
        _ => ErrorKind::TruncatedTar {
            needed: (at as u64).saturating_add(BLOCK as u64),
            present,
        },
    })
}

/// Returns the size of the content behind a header, whose checksum must be right.
fn content_size(header: &Header, offset: u64) -> Result<u64, ErrorKind> {
    let counted = header.as_bytes().iter().enumerate();
    let counted = counted.filter(|(place, _)| !CHECKSUM.contains(place));
    let sum: u32 = counted.map(|(_, &byte)| u32::from(byte)).sum();
    let expected = sum + CHECKSUM.len() as u32 * u32::from(b' ');
    match header.cksum() {
        Ok(found) if found == expected => {}
        Ok(found) => {
            return Err(ErrorKind::Checksum {
                offset,
                found,
                expected,
            });
        }
        Err(_) => {
            return Err(ErrorKind::NumberInHeader {
                offset,
                what: "checksum",
            });
        }
    }
    let what = "size";
    (header.entry_size()).map_err(|_| ErrorKind::NumberInHeader { offset, what })
}

/// Makes the error of the entry that a header names. The name may be damaged, too.
fn in_entry(header: &Header, kind: ErrorKind) -> Error {
    let path = header.path_bytes();
    match std::str::from_utf8(&path) {
        Ok(path) if !path.is_empty() && !path.contains(char::is_control) => {
            Error::in_entry(path, kind)
        }
        _ => Error::new(kind),
    }
}
