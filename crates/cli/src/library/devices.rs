//! The device that other programs choose for a job, and the observer of the job.

use super::Supervisor;
use crate::device::{Cause, JobObserver, Plan, name_or_cpu};
use decompose::gpu::GpuOptions;
use gpu::Request;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The choice of a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeviceChoice {
    /// A GPU if it is expected to be faster; otherwise, or if the GPU fails, the CPU.
    Auto,
    /// The CPU.
    Cpu,
    /// A GPU; an error if there is none. The text is a part of its name; without it, the best GPU
    /// is used.
    Gpu(Option<String>),
}

/// Set once no GPU was found, so that a program that has many jobs does not look for one each time.
static NO_GPU: AtomicBool = AtomicBool::new(false);

impl DeviceChoice {
    /// Returns the devices on which to attempt a job.
    pub(super) fn plan(self) -> Plan {
        match self {
            Self::Auto if NO_GPU.load(Relaxed) => Plan::Cpu,
            Self::Auto => Plan::Auto(GpuOptions::default()),
            Self::Cpu => Plan::Cpu,
            Self::Gpu(Some(adapter)) => Plan::Gpu(Request::named(adapter).into()),
            Self::Gpu(None) => Plan::Gpu(Request::any().into()),
        }
    }
}

/// Reports the progress of a job to the supervisor, and records the device.
pub(super) struct Observer<'a> {
    supervisor: &'a Supervisor,
    /// The job as a participle.
    doing: &'static str,
    states: u64,
    device: Mutex<Option<String>>,
    host_finishes: AtomicBool,
}

impl<'a> Observer<'a> {
    /// Makes the observer of a job on a graph with this number of states.
    pub(super) fn new(doing: &'static str, states: usize, supervisor: &'a Supervisor) -> Self {
        Self {
            supervisor,
            doing,
            states: states as u64,
            device: Mutex::new(None),
            host_finishes: AtomicBool::new(false),
        }
    }

    fn opened(&self) -> MutexGuard<'_, Option<String>> {
        self.device.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the name of the device, as it is printed.
    pub(super) fn device(&self) -> String {
        let device = name_or_cpu(self.opened().take());
        match self.host_finishes.load(Relaxed) {
            true => format!("{device}, then cpu"),
            false => device,
        }
    }
}

impl JobObserver for Observer<'_> {
    fn start_over(&self) {
        self.supervisor.begin(self.doing, Some(self.states));
        *self.opened() = None;
        self.host_finishes.store(false, Relaxed);
    }

    fn failed(&self, cause: Cause<'_>) {
        if let Cause::Gpu(gpu::Error::NoAdapter { .. } | gpu::Error::Forked) = cause {
            NO_GPU.store(true, Relaxed);
        }
    }
}

impl decompose::Observer for Observer<'_> {
    fn device(&self, name: &str) {
        *self.opened() = Some(name.to_owned());
    }

    fn left_to_host(&self, _: u64) {
        self.host_finishes.store(true, Relaxed);
    }

    fn progress(&self, done: u64, _: u64) {
        self.supervisor.reach(done);
    }

    fn is_cancelled(&self) -> bool {
        self.supervisor.is_stopped()
    }
}
