//! Gzip archives.

use crate::content;
use crate::error::{Error, Format};
use crate::options::Options;
use flate2::bufread::GzDecoder;
use std::io;

pub(crate) const MAGIC: &[u8] = &[0x1F, 0x8B];

/// Appends the contents of all members. There may be zeros after the last one.
pub(crate) fn inflate(
    input: &[u8],
    content: &mut Vec<u8>,
    options: &Options<'_>,
) -> Result<(), Error> {
    let mut left = input;
    while !left.iter().all(|&byte| byte == 0) {
        if !left.starts_with(MAGIC) && left != &MAGIC[..1] {
            return Err(Error::damaged(Format::Gzip, "other data follows it"));
        }
        let mut member = GzDecoder::new(left);
        content::append(&mut member, content, options, wrong)?;
        left = member.into_inner();
    }
    Ok(())
}

/// Converts the error of the decoder.
fn wrong(error: &io::Error) -> Error {
    let format = Format::Gzip;
    match error.kind() {
        io::ErrorKind::UnexpectedEof => Error::Truncated { format },
        _ => Error::damaged(format, error),
    }
}
