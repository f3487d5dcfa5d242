//! Reads the output of a decoder, piece by piece, into memory that grows up to a limit.

use crate::error::Error;
use crate::options::Options;
use std::io::{self, Read};
use std::sync::atomic::Ordering;

/// The number of decompressed bytes between two checks of the interrupt, and the least number of
/// bytes by which memory grows.
const PIECE: usize = 1 << 18;

/// Appends the whole output of a decoder. `wrong` converts its error.
pub(crate) fn append(
    decoder: &mut impl Read,
    content: &mut Vec<u8>,
    options: &Options<'_>,
    wrong: impl Fn(&io::Error) -> Error,
) -> Result<(), Error> {
    loop {
        let interrupted = options
            .interrupt
            .is_some_and(|flag| flag.load(Ordering::Relaxed));
        if interrupted {
            return Err(Error::Interrupted);
        }
        make_room(content, options.max_bytes)?;
        let piece = decoder.take(PIECE as u64).read_to_end(content);
        let inflated = piece.map_err(|error| wrong(&error))?;
        if content.len() as u64 > options.max_bytes {
            let limit = options.max_bytes;
            return Err(Error::TooLarge { limit });
        }
        if inflated < PIECE {
            return Ok(());
        }
    }
}

/// Reserves memory for a piece. The memory doubles, so that little is copied, but does not exceed
/// the limit.
fn make_room(content: &mut Vec<u8>, max_bytes: u64) -> Result<(), Error> {
    let limit = usize::try_from(max_bytes).unwrap_or(usize::MAX);
    if content.capacity() - content.len() >= PIECE {
        return Ok(());
    }
    let more = content.len().min(limit.saturating_sub(content.len()));
    if more > PIECE && content.try_reserve_exact(more).is_ok() {
        return Ok(());
    }
    content.try_reserve_exact(PIECE).map_err(|_| {
        let bytes = (content.len() + PIECE) as u64;
        Error::OutOfMemory { bytes }
    })
}
