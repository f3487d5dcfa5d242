//! Reads the output of a decoder, piece by piece, into memory that grows up to a limit.

use crate::error::Error;
use crate::options::Options;
use std::io::{self, Read};
use std::sync::atomic::Ordering;

/// Bytes inflated between two looks at the interrupt, and the least that memory grows by.
const PIECE: usize = 1 << 18;

/// Appends all that a decoder gives. `wrong` says what its error means.
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

/// Makes room for a piece. Memory doubles, so that little is moved, but not beyond the limit.
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
