//! Recognises gzip, xz and zstd archives by their first bytes, and decompresses them into memory,
//! up to a limit.
//!
//! Model files are often compressed, and a small archive can expand to a very large file.
//! [`inflate`] takes the bytes of a file, compressed or not, and returns the uncompressed bytes:
//!
//! ```
//! use decompress::{Options, inflate};
//!
//! let archive = b"\x1f\x8b\x08\0\0\0\0\0\0\xff\xcbH\xcd\xc9\xc9\x07\0\x86\xa6\x106\x05\0\0\0";
//! assert_eq!(*inflate(archive, &Options::default())?, *b"hello");
//! assert_eq!(*inflate(b"hello", &Options::default())?, *b"hello");
//!
//! let small = Options { max_bytes: 3, ..Options::default() };
//! let message = "the archive holds more bytes than the limit, 3";
//! assert_eq!(inflate(archive, &small).unwrap_err().to_string(), message);
//! # Ok::<(), decompress::Error>(())
//! ```
//!
//! | archive | begins with | what may be in it |
//! | --- | --- | --- |
//! | gzip (`.gz`) | `1F 8B` | members, whose contents are joined, and zeros after the last one |
//! | xz (`.xz`) | `FD` `7zXZ` `00` | streams, whose contents are joined, and zeros between them |
//! | zstd (`.zst`) | `28 B5 2F FD` | frames, whose contents are joined, and skippable frames |
//! | zip (`.zip`) | `PK` `03 04` | refused by name, because it may hold several files |
//! | bzip2 (`.bz2`) | `BZh` `1` to `9` `31 41 59 26 53 59` | refused by name |
//!
//! Checksums are verified, and nothing may follow an archive. A dictionary or window of xz or zstd
//! counts against the limit before memory is allocated for it.
//!
//! This crate does not know about files or other formats: it reads bytes, and returns bytes.

#![forbid(unsafe_code)]

mod content;
mod error;
mod gzip;
mod options;
mod source;
mod xz;
mod zstd;

pub use error::{Error, Format};
pub use options::Options;

use std::borrow::Cow;

/// The first bytes of a zip archive.
const ZIP: &[u8] = b"PK\x03\x04";

/// The first bytes of a bzip2 archive, and the bytes that follow after one digit.
const BZIP2: (&[u8], &[u8]) = (b"BZh", b"1AY&SY");

/// Decompresses an archive. Input that does not begin like an archive is returned unchanged.
///
/// # Errors
///
/// If the archive is damaged or truncated, or a zip or bzip2 archive; if the contents exceed the
/// limit; if there is not enough memory; or if the interrupt is set.
pub fn inflate<'a>(input: &'a [u8], options: &Options<'_>) -> Result<Cow<'a, [u8]>, Error> {
    let inflate = match input {
        _ if input.starts_with(gzip::MAGIC) => gzip::inflate,
        _ if input.starts_with(xz::MAGIC) => xz::inflate,
        _ if zstd::is_archive(input) => zstd::inflate,
        _ if input.starts_with(ZIP) => return Err(Error::Zip),
        _ if is_bzip2(input) => return Err(Error::Bzip2),
        _ => return Ok(Cow::Borrowed(input)),
    };
    let mut content = Vec::new();
    inflate(input, &mut content, options)?;
    Ok(Cow::Owned(content))
}

fn is_bzip2(input: &[u8]) -> bool {
    let behind = input.strip_prefix(BZIP2.0).and_then(<[u8]>::split_first);
    behind.is_some_and(|(size, rest)| size.is_ascii_digit() && rest.starts_with(BZIP2.1))
}
