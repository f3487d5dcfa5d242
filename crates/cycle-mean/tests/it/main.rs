//! Tests of the crate's interface.

mod errors;
#[cfg(feature = "gpu")]
mod gpu;
mod graphs;
mod oracle;
mod properties;
