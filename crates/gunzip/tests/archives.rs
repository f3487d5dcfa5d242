//! Archives: whole, in several members, cut off, damaged, too large, and what is said of them.

use std::io::Write;
use std::sync::atomic::AtomicBool;

use flate2::Compression;
use flate2::write::GzEncoder;
use gunzip::{Error, Options, inflate};
use proptest::prelude::*;

fn archive(content: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(content).expect("written to memory");
    encoder.finish().expect("written to memory")
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
    for plain in [&b""[..], b"\x1f", b"1 1 1\n"] {
        assert_eq!(&*inflate(plain, &options).expect("not an archive"), plain);
    }
}

#[test]
fn an_archive_that_inflates_to_much_more_is_refused_early() {
    let bomb = archive(&vec![b'0'; 50_000_000]);
    assert!(bomb.len() < 500_000);
    let options = Options {
        max_bytes: 1_000_000,
        ..Options::default()
    };
    let error = inflate(&bomb, &options).expect_err("over the limit");
    assert_eq!(error, Error::TooLarge { limit: 1_000_000 });
    let exact = Options {
        max_bytes: 50_000_000,
        ..options
    };
    assert_eq!(
        inflate(&bomb, &exact).expect("within the limit").len(),
        50_000_000
    );
}

#[test]
fn an_interrupt_ends_it() {
    let options = Options {
        interrupt: Some(&AtomicBool::new(true)),
        ..Options::default()
    };
    let error = inflate(&archive(b"hello"), &options).expect_err("interrupted");
    assert_eq!(error, Error::Interrupted);
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
    insta::assert_snapshot!(Error::TooLarge { limit: 3 }, @"the archive holds more bytes than the limit, 3");
    insta::assert_snapshot!(Error::OutOfMemory { bytes: 7 }, @"out of memory: 7 bytes were needed");
    insta::assert_snapshot!(Error::Interrupted, @"interrupted");
}

proptest! {
    #[test]
    fn members_are_joined(
        members in prop::collection::vec((any::<u8>(), 0..700_000usize), 1..4),
        zeros in 0..600usize,
    ) {
        let parts: Vec<_> = members.iter().map(|&(seed, length)| content(seed, length)).collect();
        let mut whole: Vec<u8> = parts.iter().flat_map(|part| archive(part)).collect();
        whole.resize(whole.len() + zeros, 0);
        let inflated = inflate(&whole, &Options::default());
        prop_assert!(inflated.is_ok_and(|inflated| *inflated == parts.concat()));
    }

    #[test]
    fn a_cut_archive_is_truncated(length in 1..5_000usize, cut in any::<prop::sample::Index>()) {
        let whole = archive(&content(7, length));
        let kept = 2 + cut.index(whole.len() - 2);
        let error = inflate(&whole[..kept], &Options::default()).expect_err("cut");
        prop_assert_eq!(error, Error::Truncated);
    }

    #[test]
    fn a_damaged_archive_never_gives_other_content(
        length in 1..5_000usize,
        place in any::<prop::sample::Index>(),
        flip in 1..=255u8,
    ) {
        let original = content(7, length);
        let mut damaged = archive(&original);
        let at = 2 + place.index(damaged.len() - 2);
        damaged[at] ^= flip;
        // Flags, times and the like may change without harm to the content.
        if let Ok(inflated) = inflate(&damaged, &Options::default()) {
            prop_assert!(*inflated == original);
        }
    }
}
