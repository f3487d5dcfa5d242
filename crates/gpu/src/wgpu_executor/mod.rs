//! The executor on wgpu. Nothing outside this folder names wgpu.
//!
//! - `device`: adapters, opening, waiting, errors
//! - `robust`: whether kernels may run unchecked
//! - `pipelines`: kernels compiled and bound
//! - `compile`: the same, watched
//! - `transfer`: large uploads and downloads through rings of staging buffers
//! - `run`: a recording turned into commands
//! - `stretches`: as much of it as one submission can hold, with what depends on the end of loops; `stretch` is the
//!   plan of one, and `foresight` says how long its loops will take
//! - `repeat`: loops that go on for longer than was foreseen
//! - `pace`: how much is handed over at a time
//! - `records`, `gates`: what sizes dispatches, and what takes their workgroups away
//! - `timing`: timestamps

mod compile;
mod device;
mod foresight;
mod gates;
mod pace;
mod pipelines;
mod records;
mod repeat;
mod robust;
mod run;
mod stretch;
mod stretches;
#[cfg(test)]
mod tests;
mod timing;
mod transfer;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use wgpu::BufferUsages;

use crate::adapter::{AdapterInfo, Request};
use crate::buffer::BufferId;
use crate::executor::Executor;
use crate::outcome::{Control, Outcome};
use crate::recording::{Recording, Step};
use crate::{Error, Result};

pub(crate) use device::adapters;

/// Runs recordings on a wgpu device.
pub(crate) struct WgpuExecutor {
    device: Arc<device::Device>,
    buffers: Mutex<HashMap<BufferId, wgpu::Buffer>>,
    pipelines: Mutex<pipelines::Pipelines>,
    machinery: Mutex<run::Machinery>,
    uploads: Mutex<transfer::Ring>,
    downloads: Mutex<transfer::Ring>,
}

/// Whatever panicked with a lock of ours left no half-made state behind it: each holds caches.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl WgpuExecutor {
    pub(crate) fn open(request: &Request) -> Result<Self> {
        let device = Arc::new(device::Device::open(request)?);
        Ok(Self {
            buffers: Mutex::default(),
            pipelines: Mutex::new(pipelines::Pipelines::new(&device)?),
            machinery: Mutex::new(run::Machinery::new(&device)?),
            uploads: Mutex::new(transfer::Ring::upload()),
            downloads: Mutex::new(transfer::Ring::download()),
            device,
        })
    }

    /// wgpu's buffer of a handle.
    fn held(&self, id: BufferId) -> Result<wgpu::Buffer> {
        let held = lock(&self.buffers).get(&id).cloned();
        held.ok_or_else(|| Error::validation("the device", "a buffer it does not hold"))
    }
}

impl Executor for WgpuExecutor {
    fn info(&self) -> &AdapterInfo {
        &self.device.info
    }

    fn create(&self, id: BufferId, name: &str, bytes: u64, settle: bool) -> Result<()> {
        let in_use = lock(&self.buffers).values().map(wgpu::Buffer::size).sum();
        let usage = BufferUsages::STORAGE
            | BufferUsages::COPY_SRC
            | BufferUsages::COPY_DST
            | BufferUsages::INDIRECT;
        let descriptor = wgpu::BufferDescriptor {
            label: Some(name),
            size: bytes,
            usage,
            mapped_at_creation: false,
        };
        let buffer = self.device.guarded(name, (bytes, in_use), || {
            let buffer = self.device.raw.create_buffer(&descriptor);
            if settle {
                let mut encoder = self.device.encoder();
                encoder.clear_buffer(&buffer, 0, None);
                self.device.queue.submit([encoder.finish()]);
            }
            buffer
        })?;
        lock(&self.buffers).insert(id, buffer);
        Ok(())
    }

    fn destroy(&self, id: BufferId) {
        // A cached bind group would keep the memory alive.
        lock(&self.pipelines).forget(id);
        if let Some(buffer) = lock(&self.buffers).remove(&id) {
            buffer.destroy();
        }
    }

    fn upload(&self, to: BufferId, at: u64, data: &[u8]) -> Result<()> {
        let target = self.held(to)?;
        lock(&self.uploads).write(&self.device, &target, at, data)
    }

    fn download(&self, from: BufferId, at: u64, data: &mut [u8]) -> Result<()> {
        let source = self.held(from)?;
        lock(&self.downloads).read(&self.device, &source, at, data)
    }

    fn prepare(&self, recording: &Recording) -> Result<()> {
        let mut pipelines = lock(&self.pipelines);
        recording.steps().iter().try_for_each(|step| match step {
            Step::Dispatch(dispatch) => {
                pipelines.pipeline(&self.device, &dispatch.call).map(|_| ())
            }
            Step::Repeat(repeated) => {
                let mut calls = repeated.phases.iter().flatten();
                calls.try_for_each(|call| pipelines.pipeline(&self.device, call).map(|_| ()))
            }
            _ => Ok(()),
        })
    }

    fn lose(&self) {
        self.device.lose();
    }

    fn run(&self, recording: &Recording, control: &mut Control<'_>) -> Result<Outcome> {
        // Held throughout: the records of loops and the parameters are one run's at a time.
        let mut machinery = lock(&self.machinery);
        run::run(self, &mut machinery, recording, control)
    }
}
