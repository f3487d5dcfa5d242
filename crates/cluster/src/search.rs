//! The searches for SCCs and MECs. The documentation of the crate describes the algorithms.

mod condensation;
mod contract;
mod gather;
mod live;
mod local;
mod mec;
mod room;
mod scc;
mod smallest;
mod sweeps;
mod undecided;

pub use mec::mec;
pub use scc::scc;
