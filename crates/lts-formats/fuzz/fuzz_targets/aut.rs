//! Reads arbitrary bytes as an Aldebaran file. Checks that the reader does not panic, that small
//! chunks have the same result, and that an LTS that is read can be written and read again.

#![no_main]

use libfuzzer_sys::fuzz_target;
use lts_formats::{ReadOptions, read_aut};

fuzz_target!(|input: &[u8]| {
    let options = ReadOptions::default();
    let read = read_aut(input, &options);
    let in_chunks = ReadOptions {
        chunk_bytes: 8,
        ..options
    };
    assert_eq!(read_aut(input, &in_chunks), read);
    let lts = match read {
        Ok(lts) => lts,
        Err(error) => return assert!(!error.to_string().contains('\n')),
    };
    let mut written = Vec::new();
    if lts.write_aut(&mut written).is_ok() {
        let again = read_aut(&written, &options).expect("what was written reads");
        assert_eq!(again.num_branches(), lts.num_branches());
    }
});
