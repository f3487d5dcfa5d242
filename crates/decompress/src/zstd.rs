//! Zstandard archives.

use crate::content;
use crate::error::{Error, Format};
use crate::options::Options;
use crate::source::Source;
use ruzstd::decoding::StreamingDecoder;
use ruzstd::decoding::errors::FrameDecoderError;

const MAGIC: &[u8] = &[0x28, 0xB5, 0x2F, 0xFD];

const FORMAT: Format = Format::Zstd;

pub(crate) fn is_archive(input: &[u8]) -> bool {
    input.starts_with(MAGIC) || is_skippable(input)
}

/// Returns whether the input begins with a frame that has no content.
fn is_skippable(input: &[u8]) -> bool {
    matches!(input, [0x50..=0x5F, 0x2A, 0x4D, 0x18, ..])
}

/// Appends the contents of all frames.
pub(crate) fn inflate(
    input: &[u8],
    content: &mut Vec<u8>,
    options: &Options<'_>,
) -> Result<(), Error> {
    let mut left = input;
    while !left.is_empty() {
        left = if left.starts_with(MAGIC) {
            frame(left, content, options)?
        } else if is_skippable(left) {
            behind_skippable(left).ok_or(Error::Truncated { format: FORMAT })?
        } else if MAGIC.starts_with(left) {
            return Err(Error::Truncated { format: FORMAT });
        } else {
            return Err(Error::damaged(FORMAT, "other data follows it"));
        };
    }
    Ok(())
}

/// Returns the input after a frame without content: four bytes of a mark, four bytes of a length,
/// and as many bytes as this length.
fn behind_skippable(input: &[u8]) -> Option<&[u8]> {
    let (length, rest) = input.get(4..)?.split_first_chunk::<4>()?;
    rest.get(u32::from_le_bytes(*length) as usize..)
}

/// Appends the content of a frame. Returns the input after it.
fn frame<'i>(
    input: &'i [u8],
    content: &mut Vec<u8>,
    options: &Options<'_>,
) -> Result<&'i [u8], Error> {
    let mut source = Source::new(input, FORMAT);
    let decoder = StreamingDecoder::new_with_max_window_size(&mut source, options.max_bytes);
    let mut decoder = match decoder {
        Ok(decoder) => decoder,
        Err(FrameDecoderError::WindowSizeTooBig { .. }) => {
            let limit = options.max_bytes;
            return Err(Error::Window {
                format: FORMAT,
                limit,
            });
        }
        Err(error) => return Err(source.wrong(&error)),
    };
    let start = content.len();
    let appended = content::append(&mut decoder, content, options, |error| {
        Error::damaged(FORMAT, error)
    });
    let frame = &decoder.decoder;
    let sum = frame.get_checksum_from_data();
    let is_other = sum.is_some() && sum != frame.get_calculated_checksum();
    let length = (content.len() - start) as u64;
    let is_other_size = ![0, length].contains(&frame.content_size());
    match appended {
        Err(Error::Damaged { reason, .. }) => Err(source.wrong(&reason)),
        Err(error) => Err(error),
        Ok(()) if is_other => Err(Error::damaged(FORMAT, "its checksum does not match")),
        Ok(()) if is_other_size => Err(Error::damaged(FORMAT, "its size does not match")),
        Ok(()) => Ok(source.left()),
    }
}
