//! Tests of the crate's interface.

mod errors;
mod graphs;
mod oracle;
mod properties;
