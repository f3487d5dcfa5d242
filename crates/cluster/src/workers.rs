//! Starts the workers of a process, and connects the processes.

mod handshake;
mod hosts;
mod processes;
mod rendezvous;
mod start;
mod watch;

pub use hosts::{Hosts, HostsError};
pub use processes::on_processes;
pub use rendezvous::Rendezvous;
pub use start::{WorkerFailure, on_threads, on_threads_until};
