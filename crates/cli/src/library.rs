//! What other programs call, such as the package for Python: they read models of all formats, and
//! decompose graphs, as the commands do.
//!
//! A long piece of work runs on the thread that calls it. Another thread looks after it: [`Watch`]
//! tells how far the work has come, and stops it.

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
pub use watch::{Watch, Way};
