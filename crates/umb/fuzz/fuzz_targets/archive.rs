//! Any bytes as an archive: no panic, errors of one line, and a model that is read is a sound one.

#![no_main]

#[path = "../../tests/it/common/whole.rs"]
mod whole;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    whole::read_all(input);
});
