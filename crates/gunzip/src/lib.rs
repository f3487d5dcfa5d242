//! Gzip archives, recognised by their first bytes and inflated into memory under a limit.
//!
//! Model files are often compressed, and small archives can hold much. [`inflate`] takes the bytes
//! of a file, compressed or not, and gives those that a reader wants:
//!
//! ```
//! use gunzip::{Options, inflate};
//!
//! let archive = b"\x1f\x8b\x08\0\0\0\0\0\0\xff\xcbH\xcd\xc9\xc9\x07\0\x86\xa6\x106\x05\0\0\0";
//! assert_eq!(*inflate(archive, &Options::default())?, *b"hello");
//! assert_eq!(*inflate(b"hello", &Options::default())?, *b"hello");
//!
//! let small = Options { max_bytes: 3, ..Options::default() };
//! let message = "the archive holds more bytes than the limit, 3";
//! assert_eq!(inflate(archive, &small).unwrap_err().to_string(), message);
//! # Ok::<(), gunzip::Error>(())
//! ```
//!
//! This crate knows no files and no formats but gzip's: it gets bytes and gives bytes.

#![forbid(unsafe_code)]

use std::borrow::Cow;
use std::io::{self, BufRead, Read};
use std::sync::atomic::{AtomicBool, Ordering};

use flate2::bufread::GzDecoder;

const MAGIC: [u8; 2] = [0x1F, 0x8B];

/// Bytes inflated between two looks at the interrupt, and the least that memory grows by.
const PIECE: usize = 1 << 18;

/// Limits for [`inflate`].
#[derive(Debug, Clone, Copy)]
pub struct Options<'a> {
    /// An archive that holds more is refused, before memory is taken for it. Default: 64 GiB.
    pub max_bytes: u64,
    /// Polled while inflating; once true, it ends soon with [`Error::Interrupted`].
    pub interrupt: Option<&'a AtomicBool>,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Self {
            max_bytes: 64 << 30,
            interrupt: None,
        }
    }
}

/// Why an archive was not inflated.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The archive is damaged, or something follows it.
    #[error("the gzip archive is damaged ({reason})")]
    Damaged {
        /// What the decoder says.
        reason: String,
    },
    /// The archive ends too early.
    #[error("the gzip archive is truncated")]
    Truncated,
    /// The archive holds more than the caller allows.
    #[error("the archive holds more bytes than the limit, {limit}")]
    TooLarge {
        /// [`Options::max_bytes`].
        limit: u64,
    },
    /// There is not enough memory.
    #[error("out of memory: {bytes} bytes were needed")]
    OutOfMemory {
        /// The request that failed.
        bytes: u64,
    },
    /// The caller's [interrupt](Options::interrupt) was set.
    #[error("interrupted")]
    Interrupted,
}

/// Inflates a gzip archive; anything that does not start like one is given back as it is.
///
/// An archive may have several members, whose contents are joined, and zeros behind the last one.
///
/// # Errors
///
/// Damaged or truncated archives, contents over the limit, memory that cannot be had, an interrupt.
pub fn inflate<'a>(input: &'a [u8], options: &Options<'_>) -> Result<Cow<'a, [u8]>, Error> {
    if !input.starts_with(&MAGIC) {
        return Ok(Cow::Borrowed(input));
    }
    let mut content = Vec::new();
    let mut left = input;
    while !left.iter().all(|&byte| byte == 0) {
        if !left.starts_with(&MAGIC) && left != &MAGIC[..1] {
            let reason = "other data follows it".to_owned();
            return Err(Error::Damaged { reason });
        }
        let mut member = GzDecoder::new(left);
        inflate_member(&mut member, &mut content, options)?;
        left = member.into_inner();
    }
    Ok(Cow::Owned(content))
}

fn inflate_member(
    member: &mut GzDecoder<impl BufRead>,
    content: &mut Vec<u8>,
    options: &Options<'_>,
) -> Result<(), Error> {
    loop {
        let interrupted = options
            .interrupt
            .is_some_and(|flag| flag.load(Ordering::Relaxed));
        if interrupted {
            return Err(Error::Interrupted);
        }
        make_room(content, options.max_bytes)?;
        let piece = member.take(PIECE as u64).read_to_end(content);
        let inflated = piece.map_err(|error| in_archive(&error))?;
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

/// What the decoder's error says of the archive.
fn in_archive(error: &io::Error) -> Error {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => Error::Truncated,
        _ => Error::Damaged {
            reason: error.to_string(),
        },
    }
}
