//! Reads arbitrary bytes as an archive. Checks that the reader does not panic, that errors have one
//! line, and that a model that is read is valid.

#![no_main]

#[path = "../../tests/it/common/whole.rs"]
mod whole;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    whole::read_all(input);
});
