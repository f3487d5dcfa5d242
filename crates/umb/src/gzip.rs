//! Gzip archives, recognised by their first bytes and inflated into memory under a limit.

use std::borrow::Cow;
use std::io::{self, Read};
use std::sync::atomic::{AtomicBool, Ordering};

use flate2::bufread::MultiGzDecoder;

use crate::error::{Error, ErrorKind};

const MAGIC: [u8; 2] = [0x1F, 0x8B];

/// Bytes inflated between two looks at the interrupt, and the least that memory grows by.
const PIECE: usize = 1 << 18;

/// Limits for [`decompress`].
#[derive(Debug, Clone, Copy)]
pub struct DecompressOptions<'a> {
    /// An archive that holds more is refused, before memory is taken for it. Default: 64 GiB.
    pub max_bytes: u64,
    /// Polled while inflating; once true, reading ends soon with [`ErrorKind::Interrupted`].
    pub interrupt: Option<&'a AtomicBool>,
}

impl Default for DecompressOptions<'_> {
    fn default() -> Self {
        Self {
            max_bytes: 64 << 30,
            interrupt: None,
        }
    }
}

/// Inflates a gzip archive; anything that does not start like one is given back as it is.
///
/// # Errors
///
/// Damaged or truncated archives, contents over the limit, memory that cannot be had, an interrupt.
pub fn decompress<'a>(
    input: &'a [u8],
    options: &DecompressOptions<'_>,
) -> Result<Cow<'a, [u8]>, Error> {
    if !input.starts_with(&MAGIC) {
        return Ok(Cow::Borrowed(input));
    }
    inflate(input, options).map(Cow::Owned).map_err(Error::new)
}

fn inflate(input: &[u8], options: &DecompressOptions<'_>) -> Result<Vec<u8>, ErrorKind> {
    let mut content = Vec::new();
    let mut inflater = MultiGzDecoder::new(input);
    loop {
        let interrupted = options
            .interrupt
            .is_some_and(|flag| flag.load(Ordering::Relaxed));
        if interrupted {
            return Err(ErrorKind::Interrupted);
        }
        content.try_reserve(PIECE).map_err(|_| {
            let bytes = (content.len() + PIECE) as u64;
            ErrorKind::OutOfMemory { bytes }
        })?;
        let mut piece = inflater.by_ref().take(PIECE as u64);
        let inflated = piece
            .read_to_end(&mut content)
            .map_err(|error| kind_of(&error))?;
        if content.len() as u64 > options.max_bytes {
            let limit = options.max_bytes;
            return Err(ErrorKind::TooLarge { limit });
        }
        if inflated < PIECE {
            return Ok(content);
        }
    }
}

fn kind_of(error: &io::Error) -> ErrorKind {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => ErrorKind::TruncatedGzip,
        _ => ErrorKind::BadGzip {
            reason: error.to_string(),
        },
    }
}
