//! Archives that are complete, in several members, truncated, damaged or too large, and their
//! errors.

use std::io::Write;
use std::sync::atomic::AtomicBool;

use decompress::{Error, Format, Options, inflate};
use flate2::Compression;
use flate2::write::GzEncoder;
use lzma_rust2::{XzOptions, XzWriter};
use proptest::prelude::*;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

const FORMATS: [Format; 3] = [Format::Gzip, Format::Xz, Format::Zstd];

fn archive(format: Format, content: &[u8]) -> Vec<u8> {
    match format {
        Format::Gzip => {
            let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
            encoder.write_all(content).expect("written to memory");
            encoder.finish().expect("written to memory")
        }
        Format::Xz => {
            let options = XzOptions::with_preset(0);
            let mut encoder = XzWriter::new(Vec::new(), options).expect("an encoder");
            encoder.write_all(content).expect("written to memory");
            encoder.finish().expect("written to memory")
        }
        Format::Zstd => compress_to_vec(content, CompressionLevel::Fastest),
    }
}

fn content(seed: u8, length: usize) -> Vec<u8> {
    (0..length)
        .map(|k| seed.wrapping_mul(k as u8) ^ (k / 100) as u8)
        .collect()
}

#[test]
fn plain_text_is_given_back() {
    let options = Options {
        max_bytes: 1,
        ..Options::default()
    };
    for plain in [
        &b""[..],
        b"\x1f",
        b"1 1 1\n",
        b"PK",
        b"\xfd7zXZ",
        b"\x28\xb5\x2f",
    ] {
        assert_eq!(&*inflate(plain, &options).expect("not an archive"), plain);
    }
}

/// `hello` by the programs `xz` 5.4 and `zstd` 1.5.
const XZ: &[u8] =
    b"\xfd\x37\x7a\x58\x5a\x00\x00\x04\xe6\xd6\xb4\x46\x02\x00\x21\x01\x16\x00\x00\x00\
    \x74\x2f\xe5\xa3\x01\x00\x04\x68\x65\x6c\x6c\x6f\x00\x00\x00\x00\xb1\x37\xb9\xdb\xe5\xda\
    \x1e\x9b\x00\x01\x1d\x05\xb8\x2d\x80\xaf\x1f\xb6\xf3\x7d\x01\x00\x00\x00\x00\x04\x59\x5a";
const ZSTD: &[u8] = b"\x28\xb5\x2f\xfd\x04\x58\x29\x00\x00hello\xa3\x6d\x9f\x88";

#[test]
fn archives_of_other_programs() {
    let unchecked = b"\x28\xb5\x2f\xfd\x00\x58\x29\x00\x00hello";
    let options = Options::default();
    for archive in [XZ, ZSTD, unchecked] {
        assert_eq!(*inflate(archive, &options).expect("an archive"), *b"hello");
    }
    let empty = b"\x28\xb5\x2f\xfd\x24\x00\x01\x00\x00\x99\xe9\xd8\x51";
    assert_eq!(*inflate(empty, &options).expect("an archive"), *b"");
    // Frames to be skipped have a mark, a length, and this many bytes.
    let skipped = b"\x53\x2a\x4d\x18\x03\x00\x00\x00abc";
    let all = [skipped, ZSTD, skipped, empty, ZSTD].concat();
    assert_eq!(
        *inflate(&all, &options).expect("an archive"),
        *b"hellohello"
    );
    // Zeros may stand between streams of xz and after them, by fours.
    let all = [XZ, &[0; 8], XZ, &[0; 4]].concat();
    assert_eq!(
        *inflate(&all, &options).expect("an archive"),
        *b"hellohello"
    );
}

#[test]
fn an_archive_that_inflates_to_much_more_is_refused_early() {
    for format in FORMATS {
        let bomb = archive(format, &vec![b'0'; 50_000_000]);
        assert!(bomb.len() < 500_000, "{format}: {}", bomb.len());
        let options = Options {
            max_bytes: 5_000_000,
            ..Options::default()
        };
        let error = inflate(&bomb, &options).expect_err("over the limit");
        assert_eq!(error, Error::TooLarge { limit: 5_000_000 }, "{format}");
        let exact = Options {
            max_bytes: 50_000_000,
            ..options
        };
        let inflated = inflate(&bomb, &exact).expect("within the limit");
        assert_eq!(inflated.len(), 50_000_000, "{format}");
    }
}

/// The headers of small archives claim dictionaries and windows of gigabytes.
#[test]
fn a_window_over_the_limit_is_refused() {
    let options = Options {
        max_bytes: 1 << 20,
        ..Options::default()
    };
    let zstd = b"\x28\xb5\x2f\xfd\x00\xa0\x29\x00\x00hello";
    let error = inflate(zstd, &options).expect_err("1 GiB");
    insta::assert_snapshot!(error, @"the zstd archive needs more memory to be decompressed than the limit, 1048576");
    let options_of_xz = XzOptions::with_preset(9);
    let mut encoder = XzWriter::new(Vec::new(), options_of_xz).expect("an encoder");
    encoder.write_all(b"hello").expect("written to memory");
    let xz = encoder.finish().expect("written to memory");
    let error = inflate(&xz, &options).expect_err("64 MiB");
    insta::assert_snapshot!(error, @"the xz archive needs more memory to be decompressed than the limit, 1048576");
    assert_eq!(
        *inflate(&xz, &Options::default()).expect("enough"),
        *b"hello"
    );
}

#[test]
fn an_interrupt_ends_it() {
    let options = Options {
        interrupt: Some(&AtomicBool::new(true)),
        ..Options::default()
    };
    for format in FORMATS {
        let error = inflate(&archive(format, b"hello"), &options).expect_err("interrupted");
        assert_eq!(error, Error::Interrupted);
    }
}

#[test]
fn every_error_is_worded() {
    const EMPTY: &[u8] = b"\x1f\x8b\x08\0\0\0\0\0\0\xff\x03\0\0\0\0\0\0\0\0\0";
    let message = |input: &[u8]| {
        let inflated = inflate(input, &Options::default());
        inflated.expect_err("a bad archive").to_string()
    };
    insta::assert_snapshot!(message(&EMPTY[..15]), @"the gzip archive is truncated");
    insta::assert_snapshot!(message(&EMPTY[..2]), @"the gzip archive is truncated");
    insta::assert_snapshot!(message(&[EMPTY, b"more"].concat()), @"the gzip archive is damaged (other data follows it)");
    insta::assert_snapshot!(message(&[EMPTY, &EMPTY[..1]].concat()), @"the gzip archive is truncated");
    insta::assert_snapshot!(message(&[&EMPTY[..14], &[1; 6]].concat()), @"the gzip archive is damaged (corrupt gzip stream does not have a matching checksum)");
    insta::assert_snapshot!(message(b"\x1f\x8b\x09\0\0\0\0\0\0\xff"), @"the gzip archive is damaged (invalid gzip header)");
    insta::assert_snapshot!(message(&XZ[..20]), @"the xz archive is truncated");
    insta::assert_snapshot!(message(&[XZ, b"something else"].concat()), @"the xz archive is damaged (invalid data after stream)");
    insta::assert_snapshot!(message(&[&XZ[..31], b"a", &XZ[32..]].concat()), @"the xz archive is damaged (invalid block checksum)");
    insta::assert_snapshot!(message(&ZSTD[..16]), @"the zstd archive is truncated");
    insta::assert_snapshot!(message(&[ZSTD, b"more"].concat()), @"the zstd archive is damaged (other data follows it)");
    insta::assert_snapshot!(message(&[ZSTD, &ZSTD[..3]].concat()), @"the zstd archive is truncated");
    insta::assert_snapshot!(message(b"\x50\x2a\x4d\x18\x03\x00\x00\x00ab"), @"the zstd archive is truncated");
    insta::assert_snapshot!(message(&[&ZSTD[..10], b"a", &ZSTD[11..]].concat()), @"the zstd archive is damaged (its checksum does not match)");
    insta::assert_snapshot!(message(b"BZh91AY&SY\x88"), @"bzip2 archives are not read: compress the file with gzip, xz or zstd instead");
    insta::assert_snapshot!(message(b"PK\x03\x04\x14"), @"zip archives are not read: extract the file from it, or compress it with gzip");
    insta::assert_snapshot!(Error::TooLarge { limit: 3 }, @"the archive holds more bytes than the limit, 3");
    insta::assert_snapshot!(Error::OutOfMemory { bytes: 7 }, @"out of memory: 7 bytes were needed");
    insta::assert_snapshot!(Error::Interrupted, @"interrupted");
}

fn format() -> impl Strategy<Value = Format> {
    prop::sample::select(&FORMATS[..])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn members_are_joined(
        format in format(),
        members in prop::collection::vec((any::<u8>(), 0..300_000usize), 1..4),
        zeros in 0..600usize,
    ) {
        let parts: Vec<_> = members.iter().map(|&(seed, length)| content(seed, length)).collect();
        let mut whole: Vec<u8> = parts.iter().flat_map(|part| archive(format, part)).collect();
        match format {
            Format::Gzip => whole.resize(whole.len() + zeros, 0),
            Format::Xz => whole.resize(whole.len() + zeros / 4 * 4, 0),
            Format::Zstd => {}
        }
        let inflated = inflate(&whole, &Options::default());
        prop_assert!(inflated.is_ok_and(|inflated| *inflated == parts.concat()));
    }

    #[test]
    fn a_cut_archive_is_truncated(
        format in format(),
        length in 1..5_000usize,
        cut in any::<prop::sample::Index>(),
    ) {
        let whole = archive(format, &content(7, length));
        let kept = 6 + cut.index(whole.len() - 6);
        let error = inflate(&whole[..kept], &Options::default()).expect_err("cut");
        prop_assert_eq!(error, Error::Truncated { format });
    }

    #[test]
    fn a_damaged_archive_never_gives_other_content(
        format in format(),
        length in 1..5_000usize,
        place in any::<prop::sample::Index>(),
        flip in 1..=255u8,
    ) {
        let original = content(7, length);
        let mut damaged = archive(format, &original);
        let at = 6 + place.index(damaged.len() - 6);
        damaged[at] ^= flip;
        // Flags, times and the like may change without harm to the content.
        if let Ok(inflated) = inflate(&damaged, &Options::default()) {
            prop_assert!(*inflated == original);
        }
    }
}
