//! The crate's interface.

mod agreement;
mod exploring;
mod processes;
mod support;
