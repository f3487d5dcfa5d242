//! [`ProcessSetup`]: where a process is among all processes, and what it has to work with.

use super::model::WorkerLayout;
use crate::device::gpu_set::GpuSet;
use crate::interrupt;
use ::cluster::{Hosts, Rendezvous};
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::time::Duration;

/// The part of this process among all processes, and what it has to work with.
pub(super) struct ProcessSetup {
    pub(super) hosts: Hosts,
    pub(super) process: usize,
    pub(super) token: Vec<u8>,
    /// The number of workers of each process.
    pub(super) workers: usize,
    /// The GPUs that the workers of this process use.
    pub(super) gpus: Option<WorkerGpus>,
    pub(super) wait: Duration,
    /// Whether states are numbered in the fastest way.
    pub(super) unordered: bool,
    /// The number of a process that has ended, or 0.
    pub(super) ended: Arc<AtomicUsize>,
    /// Whether process 0 has started this process. Then only one of the two reports an error.
    pub(super) is_started: bool,
}

/// The GPUs of this machine, as its workers use them.
#[derive(Clone, Debug)]
pub(super) struct WorkerGpus {
    pub(super) set: GpuSet,
    /// The number of workers of this machine before those of this process.
    pub(super) before: usize,
}

impl ProcessSetup {
    pub(super) fn layout(&self) -> WorkerLayout {
        WorkerLayout {
            process: self.process,
            processes: self.hosts.len(),
            workers: self.workers,
        }
    }

    /// Returns what the process needs to connect to the others, which must know the same facts.
    pub(super) fn rendezvous(&self, facts: Vec<(String, String)>) -> Rendezvous {
        Rendezvous {
            hosts: self.hosts.clone(),
            process: self.process,
            token: self.token.clone(),
            facts,
            wait: self.wait,
            interrupt: Some(interrupt::flag()),
            ended: Arc::clone(&self.ended),
        }
    }

    /// Returns the number of workers of this machine.
    pub(super) fn beside(&self) -> usize {
        let (before, rest) = self.hosts.beside(self.process);
        (before + rest) * self.workers
    }

    /// Returns a note that says which process this is.
    pub(super) fn note(&self) -> String {
        let host = self.hosts.address(self.process);
        format!("this is process {} at {host}", self.process)
    }
}
