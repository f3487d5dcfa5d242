//! Broken archives: whatever is changed, nothing panics, every error is one line, and a model that
//! is read all the same is a sound one.

#[path = "common/whole.rs"]
mod whole;

use std::borrow::Cow;
use std::sync::LazyLock;

use crate::common::{Files, archive, coin, files, plain};
use proptest::prelude::*;
use umb::{Bits, Domain, Entity, Numbers, UmbWriter, Values};
use whole::read_all;

/// Mutations in one case of proptest, which costs more than they do.
const EACH: u64 = 200;

/// A small archive with something of everything.
static SEED: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let mut writer = UmbWriter::new(&coin()).expect("a sound model");
    writer
        .choice_actions(&["", "toss"], &[1, 0, 0, 0])
        .and_then(|writer| {
            let bits = Bits::from_members(3, &[1, 2]);
            writer.annotate("aps", "done", Entity::States, Values::Bools(bits))
        })
        .and_then(|writer| {
            let rewards = Numbers::Doubles(Cow::Borrowed(&[1.0, 0.0, 0.5, 2.0]));
            writer.annotate("rewards", "cost", Entity::Choices, Values::Numbers(rewards))
        })
        .and_then(|writer| {
            let domain = Domain::Int {
                lower: -1,
                upper: 9,
            };
            let variables = [("x", domain), ("b", Domain::Bool)];
            writer.state_valuations(&variables, true, |state, i| match i {
                0 => state as i64 - 1,
                _ => state as i64 % 2,
            })
        })
        .expect("all fits");
    plain(&writer)
});

/// A sequence of numbers that only depends on the first one.
struct Noise(u64);

impl Noise {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % bound.max(1)
    }
}

/// Changes bytes anywhere, headers included.
fn mutate_bytes(bytes: &mut Vec<u8>, noise: &mut Noise) {
    if bytes.is_empty() {
        return;
    }
    let at = noise.below(bytes.len());
    match noise.below(4) {
        0 => bytes[at] ^= 1 << noise.below(8),
        1 => bytes[at] = noise.below(256) as u8,
        2 => bytes.truncate(at),
        _ => {
            let end = (at + noise.below(1100)).min(bytes.len());
            bytes.drain(at..end);
        }
    }
}

/// Changes a file and leaves the archive around it in order.
fn mutate_file(files: &mut Files, noise: &mut Noise) {
    if files.is_empty() {
        return;
    }
    let file = noise.below(files.len());
    let (path, content) = &mut files[file];
    if path == "index.json" && noise.below(2) == 0 {
        return mutate_number(content, noise);
    }
    match noise.below(5) {
        0 => drop(files.remove(file)),
        1 => content.truncate(noise.below(content.len())),
        2 => content.extend_from_within(..noise.below(content.len())),
        _ if content.is_empty() => {}
        3 => {
            let at = noise.below(content.len());
            content[at] ^= 1 << noise.below(8);
        }
        _ => {
            let at = noise.below(content.len());
            content[at] = [0, 1, 2, 0xFF, 0x7F, 0x80][noise.below(6)];
        }
    }
}

/// Replaces a number in JSON text.
fn mutate_number(json: &mut Vec<u8>, noise: &mut Noise) {
    const NUMBERS: [&str; 8] = [
        "0",
        "1",
        "3",
        "64",
        "128",
        "4294967295",
        "18446744073709551615",
        "-9223372036854775808",
    ];
    let digits: Vec<_> = (1..json.len())
        .filter(|&i| json[i].is_ascii_digit() && json[i - 1] == b' ')
        .collect();
    let Some(&start) = digits.get(noise.below(digits.len())) else {
        return;
    };
    let length = json[start..]
        .iter()
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    let number = NUMBERS[noise.below(NUMBERS.len())].bytes();
    json.splice(start..start + length, number);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 250, ..ProptestConfig::default() })]

    #[test]
    fn broken_bytes_only_fail(seed: u64) {
        let mut noise = Noise(seed);
        for _ in 0..EACH {
            let mut bytes = SEED.clone();
            for _ in 0..=noise.below(3) {
                mutate_bytes(&mut bytes, &mut noise);
            }
            read_all(&bytes);
        }
    }

    #[test]
    fn broken_files_only_fail(seed: u64) {
        let mut noise = Noise(seed);
        let sound = files(&SEED);
        for _ in 0..EACH {
            let mut files = sound.clone();
            for _ in 0..=noise.below(3) {
                mutate_file(&mut files, &mut noise);
            }
            read_all(&archive(&files));
        }
    }
}

#[test]
fn the_seed_is_sound() {
    assert!(read_all(&SEED));
    assert!(read_all(&archive(&files(&SEED))));
}

/// Entries may be absent by the format, so a cut between two must not make another model.
#[test]
fn a_cut_archive_is_never_a_model() {
    let end = SEED.iter().rposition(|&byte| byte != 0).expect("content");
    let marker = end.next_multiple_of(512) + 512;
    for length in 0..marker {
        assert!(!read_all(&SEED[..length]), "{length} bytes of {marker}");
    }
    assert!(read_all(&SEED[..marker]));
}
