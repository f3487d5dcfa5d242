//! Xz archives.

use crate::content;
use crate::error::{Error, Format};
use crate::options::Options;
use crate::source::Source;
use lzma_rust2::XzReader;
use std::io;

pub(crate) const MAGIC: &[u8] = b"\xFD7zXZ\0";

const FORMAT: Format = Format::Xz;

/// Appends the contents of all streams.
pub(crate) fn inflate(
    input: &[u8],
    content: &mut Vec<u8>,
    options: &Options<'_>,
) -> Result<(), Error> {
    // The largest number means that there is no limit.
    let kibibytes = u32::try_from(options.max_bytes >> 10).unwrap_or(u32::MAX);
    let mut source = Source::new(input, FORMAT);
    let mut streams = XzReader::new_mem_limit(&mut source, true, kibibytes);
    let wrong = |error: &io::Error| match error.kind() {
        io::ErrorKind::OutOfMemory => Error::Window {
            format: FORMAT,
            limit: options.max_bytes,
        },
        _ => Error::damaged(FORMAT, error),
    };
    match content::append(&mut streams, content, options, wrong) {
        Err(Error::Damaged { reason, .. }) => Err(source.wrong(&reason)),
        outcome => outcome,
    }
}
