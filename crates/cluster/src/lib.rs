//! Decomposes models that several workers hold together.
#![forbid(unsafe_code)]

mod collect;
mod colour;
mod error;
mod explore;
mod hello;
mod hosts;
mod labels;
mod live;
mod mec;
mod meet;
mod names;
mod net;
mod outline;
mod part;
mod peel;
mod processes;
mod ranges;
mod reach;
mod scc;
mod skeleton;
mod start;
mod tally;
mod watch;
mod words;

pub use collect::collect;
pub use error::{Error, agree};
pub use explore::{ExploreOptions, explore};
pub use hosts::{Hosts, HostsError};
pub use labels::Labels;
pub use mec::mec;
pub use meet::Meeting;
pub use net::{Inbox, Messages, Net, Outbox};
pub use part::{Part, PartBuilder, part_of};
pub use processes::on_processes;
pub use ranges::{MOST_PER_WORKER, Ranges};
pub use scc::scc;
pub use start::{Loss, on_threads};
pub use tally::Tally;
