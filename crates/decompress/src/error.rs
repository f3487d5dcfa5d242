//! The reasons why an archive could not be decompressed.

use std::fmt;

/// A kind of archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Gzip.
    Gzip,
    /// Xz.
    Xz,
    /// Zstandard.
    Zstd,
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Gzip => "gzip",
            Self::Xz => "xz",
            Self::Zstd => "zstd",
        })
    }
}

/// The reason why an archive could not be decompressed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The archive is damaged, or is followed by other bytes.
    #[error("the {format} archive is damaged ({reason})")]
    Damaged {
        /// The kind of archive.
        format: Format,
        /// The message of the decoder.
        reason: String,
    },
    /// The archive ends too early.
    #[error("the {format} archive is truncated")]
    Truncated {
        /// The kind of archive.
        format: Format,
    },
    /// The input is a zip archive.
    #[error("zip archives are not read: extract the file from it, or compress it with gzip")]
    Zip,
    /// The input is a bzip2 archive.
    #[error("bzip2 archives are not read: compress the file with gzip, xz or zstd instead")]
    Bzip2,
    /// The contents are larger than the caller allows.
    #[error("the archive holds more bytes than the limit, {limit}")]
    TooLarge {
        /// [`Options::max_bytes`](crate::Options::max_bytes).
        limit: u64,
    },
    /// Decompressing the archive needs more memory than the caller allows.
    #[error("the {format} archive needs more memory to be decompressed than the limit, {limit}")]
    Window {
        /// The kind of archive.
        format: Format,
        /// [`Options::max_bytes`](crate::Options::max_bytes).
        limit: u64,
    },
    /// There is not enough memory.
    #[error("out of memory: {bytes} bytes were needed")]
    OutOfMemory {
        /// The number of bytes that were requested.
        bytes: u64,
    },
    /// The caller's [interrupt](crate::Options::interrupt) was set.
    #[error("interrupted")]
    Interrupted,
}

impl Error {
    pub(crate) fn damaged(format: Format, reason: impl fmt::Display) -> Self {
        let reason = reason.to_string();
        Self::Damaged { format, reason }
    }
}
