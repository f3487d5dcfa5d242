//! Decomposes models that several workers hold together.
#![forbid(unsafe_code)]

mod colour;
mod error;
mod labels;
mod live;
mod mec;
mod names;
mod net;
mod outline;
mod part;
mod peel;
mod ranges;
mod reach;
mod scc;
mod skeleton;
mod words;
mod start;

pub use error::Error;
pub use labels::Labels;
pub use mec::mec;
pub use net::{Inbox, Messages, Net, Outbox};
pub use part::{Part, PartBuilder, part_of};
pub use ranges::{MOST_PER_WORKER, Ranges};
pub use scc::scc;
pub use start::{Loss, on_threads};
