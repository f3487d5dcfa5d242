//! Archives: whole, in several members, cut off, damaged, too large.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use prism_explicit::{DecompressOptions, ErrorKind, decompress};
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
    let options = DecompressOptions {
        max_bytes: 1,
        ..DecompressOptions::default()
    };
    for plain in [&b""[..], b"\x1f", b"1 1 1\n"] {
        assert_eq!(
            &*decompress(plain, &options).expect("not an archive"),
            plain
        );
    }
}

#[test]
fn an_archive_that_inflates_to_much_more_is_refused_early() {
    let bomb = archive(&vec![b'0'; 50_000_000]);
    assert!(bomb.len() < 500_000);
    let options = DecompressOptions {
        max_bytes: 1_000_000,
        ..DecompressOptions::default()
    };
    let error = decompress(&bomb, &options).expect_err("over the limit");
    assert_eq!(
        error.kind(),
        &ErrorKind::ArchiveTooLarge { limit: 1_000_000 }
    );
    let exact = DecompressOptions {
        max_bytes: 50_000_000,
        ..options
    };
    assert_eq!(
        decompress(&bomb, &exact).expect("within the limit").len(),
        50_000_000
    );
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
        let inflated = decompress(&whole, &DecompressOptions::default());
        prop_assert!(inflated.is_ok_and(|inflated| *inflated == parts.concat()));
    }

    #[test]
    fn a_cut_archive_is_truncated(length in 1..5_000usize, cut in any::<prop::sample::Index>()) {
        let whole = archive(&content(7, length));
        let kept = 2 + cut.index(whole.len() - 2);
        let error = decompress(&whole[..kept], &DecompressOptions::default()).expect_err("cut");
        prop_assert_eq!(error.kind(), &ErrorKind::TruncatedArchive);
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
        if let Ok(inflated) = decompress(&damaged, &DecompressOptions::default()) {
            prop_assert!(*inflated == original);
        }
    }
}
