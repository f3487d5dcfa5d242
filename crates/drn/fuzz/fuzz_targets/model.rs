//! Any bytes as a DRN file, and any bytes after a header: no panic, the same outcome in small
//! chunks, and what is read can be written and read again.

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
