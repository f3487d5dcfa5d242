//! Archives, recognised by their first bytes. A parser takes bytes that are not compressed, and
//! refuses an archive by name.

use crate::place::Span;
use std::fmt;

/// A kind of archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ArchiveKind {
    /// Gzip (`.gz`).
    Gzip,
    /// Xz (`.xz`).
    Xz,
    /// Zstandard (`.zst`).
    Zstd,
    /// Bzip2 (`.bz2`).
    Bzip2,
    /// Zip (`.zip`).
    Zip,
    /// The format before xz (`.lzma`).
    Lzma,
}

impl ArchiveKind {
    /// Returns the kind of archive that `input` begins like, and the place of the bytes that say
    /// so. No text begins with them, and neither does a tar archive.
    #[must_use]
    pub fn find(input: &[u8]) -> Option<(Span, Self)> {
        let (length, archive) = match input {
            [0x1F, 0x8B, ..] => (2, Self::Gzip),
            [0xFD, b'7', b'z', b'X', b'Z', 0, ..] => (6, Self::Xz),
            // A frame, or a skippable one.
            [0x28, 0xB5, 0x2F, 0xFD, ..] | [0x50..=0x5F, 0x2A, 0x4D, 0x18, ..] => (4, Self::Zstd),
            [b'B', b'Z', b'h', b'1'..=b'9', rest @ ..] if rest.starts_with(b"1AY&SY") => {
                (10, Self::Bzip2)
            }
            // An empty archive begins with its end.
            [b'P', b'K', 3, 4, ..] | [b'P', b'K', 5, 6, ..] => (4, Self::Zip),
            // The usual properties, and the low bytes of the size of the dictionary.
            [0x5D, 0, 0, ..] => (3, Self::Lzma),
            _ => return None,
        };
        Some((Span { offset: 0, length }, archive))
    }

    /// Returns what has to be done before the content can be read, such as "decompress it first,
    /// with `gunzip`".
    #[must_use]
    pub fn advice(self) -> &'static str {
        match self {
            Self::Gzip => "decompress it first, with `gunzip`",
            Self::Xz => "decompress it first, with `unxz`",
            Self::Zstd => "decompress it first, with `unzstd`",
            Self::Bzip2 => "decompress it first, with `bunzip2`",
            Self::Zip => "extract the file from it first, with `unzip`",
            Self::Lzma => "decompress it first, with `unlzma`",
        }
    }
}

impl fmt::Display for ArchiveKind {
    /// Writes the name with an article, such as "a gzip archive".
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Gzip => "a gzip archive",
            Self::Xz => "an xz archive",
            Self::Zstd => "a zstd archive",
            Self::Bzip2 => "a bzip2 archive",
            Self::Zip => "a zip archive",
            Self::Lzma => "an lzma archive",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn archives_are_recognised_by_their_first_bytes() {
        let begins: [&[u8]; 8] = [
            b"\x1F\x8B",
            b"\xFD7zXZ\0",
            b"\x28\xB5\x2F\xFD",
            b"\x5A\x2A\x4D\x18",
            b"BZh91AY&SY",
            b"PK\x03\x04",
            b"PK\x05\x06",
            b"\x5D\0\0",
        ];
        let found = begins.map(|begin| {
            let (place, archive) = ArchiveKind::find(begin).expect("it is an archive");
            assert_eq!((place.offset, place.length), (0, begin.len()));
            assert_eq!(ArchiveKind::find(&begin[..begin.len() - 1]), None);
            let more = [begin, b"more"].concat();
            assert_eq!(ArchiveKind::find(&more), Some((place, archive)));
            format!("{archive}: {}", archive.advice())
        });
        let expected = [
            "a gzip archive: decompress it first, with `gunzip`",
            "an xz archive: decompress it first, with `unxz`",
            "a zstd archive: decompress it first, with `unzstd`",
            "a zstd archive: decompress it first, with `unzstd`",
            "a bzip2 archive: decompress it first, with `bunzip2`",
            "a zip archive: extract the file from it first, with `unzip`",
            "a zip archive: extract the file from it first, with `unzip`",
            "an lzma archive: decompress it first, with `unlzma`",
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn texts_that_begin_almost_like_archives_are_texts() {
        for text in ["", "BZh", "BZh91AY", "BZh01AY&SY", "PK", "PK34", "(", "P*M"] {
            assert_eq!(ArchiveKind::find(text.as_bytes()), None, "{text}");
        }
    }
}
