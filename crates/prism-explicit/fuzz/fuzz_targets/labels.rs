//! Reads arbitrary bytes as a labels file. Checks that the reader does not panic, and that labels
//! that are read can be written and read again, in both formats if the names permit it.

#![no_main]

use libfuzzer_sys::fuzz_target;
use prism_explicit::{Dialect, ReadOptions, read_labels};

fuzz_target!(|input: &[u8]| {
    let options = ReadOptions::default();
    let labels = match read_labels(input, None, &options) {
        Ok(labels) => labels,
        Err(error) => return assert!(!error.to_string().contains('\n')),
    };
    for dialect in [Dialect::Prism, Dialect::Storm] {
        let mut written = Vec::new();
        if labels.write(&mut written, dialect).is_ok() {
            let again =
                read_labels(&written, None, &options).expect("what was written can be read");
            assert!(again.iter().eq(labels.iter()));
        }
    }
});
