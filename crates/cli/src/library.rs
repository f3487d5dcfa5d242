//! The interface for other programs, such as the package for Python: it reads models of any format,
//! decomposes graphs, searches them breadth-first, finds optimal averages and cycles, and checks
//! explorations, as the commands do.
//!
//! Long work runs on the calling thread. Another thread can supervise it: a [`Supervisor`] reports
//! its progress, and can stop it.

mod averaging;
mod cycle_means;
mod decomposing;
mod devices;
mod failure;
mod model;
mod pool;
mod reading;
mod rewards;
mod searching;
mod shape;
mod supervisor;
mod warnings;

pub use crate::analyses::explored::{check_explored_network, check_explored_program};
pub use averaging::{Averages, Averaging, LongRun, long_run};
pub use cycle_means::{CycleAveraging, CycleMeans, OptimalCycle, cycle_means};
pub use decomposing::{Decomposing, Decomposition, decompose, scc_numbers, weak_components};
pub use devices::DeviceChoice;
pub use failure::{Failure, FailureKind};
pub use model::{Model, Structure};
pub use pool::{limited_threads, on_all_threads};
pub use reading::{Reading, read};
pub use rewards::{GivenRewards, RewardChoice};
pub use searching::{Distances, Searching, search};
pub use shape::check_type;
pub use supervisor::{Progress, Supervisor};
