//! Tests of the crate's interface.

mod errors;
mod forms;
mod round_trip;
