//! Any bytes as an archive, and any bytes behind a gzip header: no panic, and the limit holds.

#![no_main]

use libfuzzer_sys::fuzz_target;
use gunzip::{Options, inflate};

const HEADER: &[u8] = b"\x1f\x8b\x08\0\0\0\0\0\0\xff";

fuzz_target!(|input: &[u8]| {
    let options = Options { max_bytes: 1 << 20, ..Options::default() };
    for archive in [input, &[HEADER, input].concat()] {
        match inflate(archive, &options) {
            Ok(content) => assert!(content.len() <= (1 << 20).max(archive.len())),
            Err(error) => assert!(!error.to_string().contains('\n')),
        }
    }
});
