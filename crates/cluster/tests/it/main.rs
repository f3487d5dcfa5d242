//! The crate's interface.

mod agreement;
mod certificates;
mod exploring;
mod numbering;
mod processes;
mod support;
