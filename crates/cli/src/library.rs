//! The interface for other programs, such as the package for Python: it reads models of all formats
//! and decomposes graphs, as the commands do.
//!
//! Long work runs on the calling thread. Another thread can supervise it: [`Watch`] reports its
//! progress, and can stop it.

mod decomposing;
mod failure;
mod model;
mod pool;
mod reading;
mod warnings;
mod watch;

pub use decomposing::{Decomposing, DeviceChoice, Found, decompose, scc_numbers};
pub use failure::{Failure, FailureKind};
pub use model::{Model, Structure};
pub use pool::on_all_threads;
pub use reading::{Reading, read};
pub use watch::{Progress, Watch};
