//! The executor on wgpu. Nothing outside this folder names wgpu.
//!
//! From the bottom to the top; a file uses only those above it in this list:
//!
//! - `sync`: locks
//! - `robust`: whether kernels may run unchecked
//! - `adapters`: the adapters of the machine
//! - `device`: the open device: waiting, errors
//! - `pipelines`, `compile`: compiled kernels, and compiling them while an observer is called
//! - `buffers`, `uniforms`: the memory of callers, and the small data of a run
//! - `bind_groups`: kernels bound to buffers
//! - `resources`: all of these together
//! - `transfer`: uploads and downloads
//! - `plan`: a recording's steps in terms of the device
//! - `timing`: timestamps around dispatches
//! - `encode`: the commands of the next submission
//! - `pace`: the amount of work that is submitted at a time
//! - `submit`: submissions
//! - `records`: the records that set the size of the dispatches of loops
//! - `schedule`, `predictor`: the batches of loops, and the expected number of their iterations
//! - `loops`: runs loops to their end
//! - `state`: the state of a run, and single steps
//! - `run`: a run from its recording to its outcome

mod adapters;
mod bind_groups;
mod buffers;
mod compile;
mod device;
mod encode;
mod freed;
mod loops;
mod pace;
mod pipelines;
mod plan;
mod predictor;
mod records;
mod resources;
mod robust;
mod run;
mod schedule;
mod state;
mod submit;
mod sync;
#[cfg(test)]
mod tests;
mod timing;
mod transfer;
mod uniforms;

use std::sync::{Arc, Mutex};

use crate::adapter::{AdapterInfo, Request};
use crate::buffer::{BufferId, DeviceMemory};
use crate::error::Result;
use crate::executor::{Executor, Zeroing};
use crate::outcome::Outcome;
use crate::recording::Recording;
use crate::run_options::RunOptions;
use resources::Resources;
use run::RunContext;
use sync::lock;
use transfer::{Place, Ring};

pub(crate) use adapters::adapters;

/// Runs recordings on a wgpu device.
pub(crate) struct WgpuExecutor {
    context: Mutex<RunContext>,
    uploads: Mutex<Ring>,
    downloads: Mutex<Ring>,
    /// The last field, as the device closes with them.
    resources: Arc<Resources>,
}

impl WgpuExecutor {
    /// Opens the adapter that serves `request` best.
    pub(crate) fn open(request: &Request) -> Result<Self> {
        Self::on(Arc::new(Resources::open(request)?))
    }

    /// Makes an executor on existing resources.
    fn on(resources: Arc<Resources>) -> Result<Self> {
        Ok(Self {
            context: Mutex::new(RunContext::new(&resources)?),
            uploads: Mutex::new(Ring::upload()),
            downloads: Mutex::new(Ring::download()),
            resources,
        })
    }
}

impl DeviceMemory for WgpuExecutor {
    fn free(&self, id: BufferId) {
        self.resources.free(id);
    }
}

impl Executor for WgpuExecutor {
    fn info(&self) -> &AdapterInfo {
        &self.resources.device.info
    }

    fn create(&self, id: BufferId, name: &str, bytes: u64, zeroing: Zeroing) -> Result<()> {
        let Resources {
            device, buffers, ..
        } = &*self.resources;
        let held = buffers.allocate(device, name, bytes, zeroing)?;
        buffers.hold(id, held);
        Ok(())
    }

    fn upload(&self, to: BufferId, at: u64, data: &[u8]) -> Result<()> {
        let buffer = &self.resources.buffers.get(to)?.buffer;
        lock(&self.uploads).write(&self.resources.device, Place { buffer, at }, data)
    }

    fn download(&self, from: BufferId, at: u64, data: &mut [u8]) -> Result<()> {
        let buffer = &self.resources.buffers.get(from)?.buffer;
        lock(&self.downloads).read(&self.resources.device, Place { buffer, at }, data)
    }

    fn lose(&self) {
        self.resources.device.lose();
    }

    fn beside(&self) -> Result<Option<Arc<dyn Executor>>> {
        Ok(Some(Arc::new(Self::on(self.resources.clone())?)))
    }

    fn run(&self, recording: &Recording, options: &mut RunOptions<'_>) -> Result<Outcome> {
        // The lock is held during the whole run, because records and parameters belong to one run.
        lock(&self.context).run(&self.resources, recording, options)
    }
}
