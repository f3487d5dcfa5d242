//! The crate's interface.

mod agreement;
mod certificates;
mod exploring;
mod processes;
mod support;
