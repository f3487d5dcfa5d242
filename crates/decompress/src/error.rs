//! Why an archive was not inflated.

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

/// Why an archive was not inflated.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The archive is damaged, or something follows it.
    #[error("the {format} archive is damaged ({reason})")]
    Damaged {
        /// What the archive is.
        format: Format,
        /// What the decoder says.
        reason: String,
    },
    /// The archive ends too early.
    #[error("the {format} archive is truncated")]
    Truncated {
        /// What the archive is.
        format: Format,
    },
    /// The input is a zip archive.
    #[error("zip archives are not read: extract the file from it, or compress it with gzip")]
    Zip,
    /// The input is a bzip2 archive.
    #[error("bzip2 archives are not read: compress the file with gzip, xz or zstd instead")]
    Bzip2,
    /// The archive holds more than the caller allows.
    #[error("the archive holds more bytes than the limit, {limit}")]
    TooLarge {
        /// [`Options::max_bytes`](crate::Options::max_bytes).
        limit: u64,
    },
    /// To inflate the archive needs more memory than the caller allows.
    #[error("the {format} archive needs more memory to be inflated than the limit, {limit}")]
    Window {
        /// What the archive is.
        format: Format,
        /// [`Options::max_bytes`](crate::Options::max_bytes).
        limit: u64,
    },
    /// There is not enough memory.
    #[error("out of memory: {bytes} bytes were needed")]
    OutOfMemory {
        /// The request that failed.
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
