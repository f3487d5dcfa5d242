//! The crate's interface.

mod agreement;
mod support;
