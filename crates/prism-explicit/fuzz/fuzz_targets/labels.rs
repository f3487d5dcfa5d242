//! Any bytes as a labels file: no panic, and what is read can be written and is the same when read
//! again, in both formats where the names allow it.

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
            let again = read_labels(&written, None, &options).expect("what was written reads");
            assert!(again.iter().eq(labels.iter()));
        }
    }
});
