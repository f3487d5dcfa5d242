//! Tests of the crate's interface.

mod errors;
mod hostile;
mod models;
mod support;
