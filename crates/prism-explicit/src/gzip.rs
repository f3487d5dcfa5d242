//! Gzip archives, recognised by their first bytes and inflated into memory under a limit.

use std::borrow::Cow;
use std::io::{self, BufRead, Read};
use std::sync::atomic::{AtomicBool, Ordering};

use flate2::bufread::GzDecoder;

use crate::error::{Checked, Error, ErrorKind, Fault, Span};

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
/// An archive may have several members, whose contents are joined, and zeros behind the last one.
///
/// # Errors
///
/// Damaged or truncated archives, contents over the limit, memory that cannot be had, an interrupt.
/// The position is that of the member in the archive.
pub fn decompress<'a>(
    input: &'a [u8],
    options: &DecompressOptions<'_>,
) -> Result<Cow<'a, [u8]>, Error> {
    if !input.starts_with(&MAGIC) {
        return Ok(Cow::Borrowed(input));
    }
    match inflate(input, options) {
        Ok(content) => Ok(Cow::Owned(content)),
        Err(fault) => Err(fault.locate(input)),
    }
}

fn inflate(input: &[u8], options: &DecompressOptions<'_>) -> Checked<Vec<u8>> {
    let mut content = Vec::new();
    let mut left = input;
    while !left.iter().all(|&byte| byte == 0) {
        let offset = input.len() - left.len();
        let place = Span { offset, length: 0 };
        if !left.starts_with(&MAGIC) && left != &MAGIC[..1] {
            let reason = "other data follows it".to_owned();
            return Err(Fault::new(place, ErrorKind::BadArchive { reason }));
        }
        let mut member = GzDecoder::new(left);
        inflate_member(&mut member, &mut content, place, options)?;
        left = member.into_inner();
    }
    Ok(content)
}

fn inflate_member(
    member: &mut GzDecoder<impl BufRead>,
    content: &mut Vec<u8>,
    place: Span,
    options: &DecompressOptions<'_>,
) -> Checked<()> {
    loop {
        let interrupted = options
            .interrupt
            .is_some_and(|flag| flag.load(Ordering::Relaxed));
        if interrupted {
            return Err(Fault::placeless(ErrorKind::Interrupted));
        }
        content.try_reserve(PIECE).map_err(|_| {
            let bytes = (content.len() + PIECE) as u64;
            Fault::placeless(ErrorKind::OutOfMemory { bytes })
        })?;
        let piece = member.take(PIECE as u64).read_to_end(content);
        let inflated = piece.map_err(|error| Fault::new(place, kind_of(&error)))?;
        if content.len() as u64 > options.max_bytes {
            let limit = options.max_bytes;
            return Err(Fault::placeless(ErrorKind::ArchiveTooLarge { limit }));
        }
        if inflated < PIECE {
            return Ok(());
        }
    }
}

fn kind_of(error: &io::Error) -> ErrorKind {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => ErrorKind::TruncatedArchive,
        _ => ErrorKind::BadArchive {
            reason: error.to_string(),
        },
    }
}
