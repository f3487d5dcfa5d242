//! Reads an arbitrary index and arbitrary arrays, in a well-formed archive, so that the fuzzer need
//! not guess the checksums of a tar archive. The input is the index up to the first zero, followed
//! by files. Each file has a number that selects its path, a length, and its content.

#![no_main]

#[path = "../../tests/it/common/whole.rs"]
mod whole;

use libfuzzer_sys::fuzz_target;

const PATHS: &[&str] = &[
    "state-to-choices.bin",
    "choice-to-branches.bin",
    "branch-to-target.bin",
    "branch-to-probability.bin",
    "state-is-initial.bin",
    "state-to-exit-rate.bin",
    "observations/states/values.bin",
    "state-to-player.bin",
    "state-is-markovian.bin",
    "actions/choices/values.bin",
    "actions/choices/string-mapping.bin",
    "actions/choices/strings.bin",
    "annotations/aps/a/states/values.bin",
    "annotations/aps/a/states/string-mapping.bin",
    "annotations/aps/a/states/strings.bin",
    "valuations/states/valuations.bin",
    "valuations/states/valuation-to-class.bin",
    "valuations/states/string-mapping.bin",
    "valuations/states/strings.bin",
];

fn add(tar: &mut tar::Builder<Vec<u8>>, path: &str, content: &[u8]) {
    let mut header = tar::Header::new_ustar();
    header.set_size(content.len() as u64);
    tar.append_data(&mut header, path, content).expect("memory");
}

fuzz_target!(|input: &[u8]| {
    let (index, mut rest) = match input.iter().position(|&byte| byte == 0) {
        Some(end) => (&input[..end], &input[end + 1..]),
        None => (input, &[][..]),
    };
    let mut tar = tar::Builder::new(Vec::new());
    add(&mut tar, "index.json", index);
    while let [path, length, content @ ..] = rest {
        let (content, next) = content.split_at((*length as usize).min(content.len()));
        add(&mut tar, PATHS[*path as usize % PATHS.len()], content);
        rest = next;
    }
    whole::read_all(&tar.into_inner().expect("memory"));
});
