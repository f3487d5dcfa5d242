//! Reads arbitrary bytes as an archive, and arbitrary bytes after the header of each kind of
//! archive. Checks that nothing panics, and that the limit is respected.

#![no_main]

use libfuzzer_sys::fuzz_target;
use decompress::{Options, inflate};

/// The headers of gzip, of xz, and of zstd with a small window.
const HEADERS: [&[u8]; 3] = [
    b"\x1f\x8b\x08\0\0\0\0\0\0\xff",
    b"\xfd7zXZ\0\0\x04\xe6\xd6\xb4\x46\x02\0\x21\x01\x16\0\0\0\x74\x2f\xe5\xa3",
    b"\x28\xb5\x2f\xfd\0\x58",
];

fuzz_target!(|input: &[u8]| {
    let options = Options { max_bytes: 16 << 20, ..Options::default() };
    check(input, &options);
    for header in HEADERS {
        check(&[header, input].concat(), &options);
    }
});

fn check(archive: &[u8], options: &Options<'_>) {
    match inflate(archive, options) {
        Ok(content) => assert!(content.len() <= (16 << 20).max(archive.len())),
        Err(error) => assert!(!error.to_string().contains('\n')),
    }
}
