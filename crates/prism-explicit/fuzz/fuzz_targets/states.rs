//! Reads arbitrary bytes as a states file. Checks that the reader does not panic, and that values
//! that are read can be written and read again.

#![no_main]

use libfuzzer_sys::fuzz_target;
use prism_explicit::{ReadOptions, read_states};

fuzz_target!(|input: &[u8]| {
    let options = ReadOptions::default();
    match read_states(input, None, &options) {
        Ok(states) => {
            let mut written = Vec::new();
            states.write(&mut written).expect("memory can be written");
            let again = read_states(&written, Some(states.num_states()), &options);
            assert_eq!(again.as_ref(), Ok(&states));
        }
        Err(error) => assert!(!error.to_string().contains('\n')),
    }
});
