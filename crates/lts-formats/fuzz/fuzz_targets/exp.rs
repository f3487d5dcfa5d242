//! Reads arbitrary bytes as an EXP file. Checks that the reader does not panic, and that a
//! behaviour that is read can be written and read again.

#![no_main]

use libfuzzer_sys::fuzz_target;
use lts_formats::{Behaviour, read_exp};

fn text(behaviour: &Behaviour) -> Option<Vec<u8>> {
    let mut written = Vec::new();
    behaviour.write_exp(&mut written).ok()?;
    Some(written)
}

fuzz_target!(|input: &[u8]| {
    let behaviour = match read_exp(input) {
        Ok(behaviour) => behaviour,
        Err(error) => return assert!(!error.to_string().contains('\n')),
    };
    if let Some(written) = text(&behaviour) {
        let again = read_exp(&written).expect("what was written reads");
        assert_eq!(text(&again), Some(written));
    }
});
