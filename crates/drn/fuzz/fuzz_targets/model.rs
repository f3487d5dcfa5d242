//! Reads arbitrary bytes as a DRN file, and arbitrary bytes after a header. Checks that the reader
//! does not panic, that small chunks have the same result, and that a model that is read can be
//! written and read again.

#![no_main]

use drn::{ReadOptions, read};
use libfuzzer_sys::fuzz_target;

const HEADER: &[u8] = b"@type: MDP\n@reward_models\n r \n@nr_states\n2\n@model\n";

fuzz_target!(|input: &[u8]| {
    for input in [input, &[HEADER, input].concat()] {
        let options = ReadOptions::default();
        let whole = read(input, &options);
        let in_chunks = ReadOptions {
            chunk_bytes: 8,
            ..options
        };
        assert_eq!(read(input, &in_chunks), whole);
        match whole {
            Err(error) => assert!(!error.to_string().contains('\n')),
            Ok(model) => {
                let mut written = Vec::new();
                if model.write(&mut written).is_ok() {
                    assert_eq!(read(&written, &options).as_ref(), Ok(&model));
                }
            }
        }
    }
});
