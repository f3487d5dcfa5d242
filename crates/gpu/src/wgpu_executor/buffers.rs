//! The wgpu buffers that belong to the handles of callers.

use std::collections::HashMap;
use std::num::NonZero;
use std::sync::Mutex;

use super::device::{Demand, Device};
use super::freed::FreedBuffers;
use super::sync::lock;
use crate::adapter::AdapterKind;
use crate::buffer::BufferId;
use crate::error::{Error, Result};
use crate::executor::Zeroing;

/// All buffers that callers hold, by identity, and some that callers have freed.
pub(super) struct Buffers(Mutex<Memory>);

struct Memory {
    held: HashMap<BufferId, Held>,
    freed: FreedBuffers<wgpu::Buffer>,
}

/// The memory of a handle: the first bytes of a buffer.
#[derive(Clone)]
pub(super) struct Held {
    pub(super) buffer: wgpu::Buffer,
    bytes: u64,
}

impl Held {
    /// Returns these bytes as a binding for a kernel.
    pub(super) fn binding(&self) -> wgpu::BindingResource<'_> {
        wgpu::BindingResource::Buffer(wgpu::BufferBinding {
            buffer: &self.buffer,
            offset: 0,
            size: NonZero::new(self.bytes),
        })
    }
}

impl Buffers {
    /// Makes an empty collection, for an adapter of this kind.
    pub(super) fn new(kind: AdapterKind) -> Self {
        Self(Mutex::new(Memory {
            held: HashMap::new(),
            freed: FreedBuffers::of(kind),
        }))
    }

    /// Allocates `bytes` zeros: memory that was freed, or memory of the driver.
    pub(super) fn allocate(
        &self,
        device: &Device,
        name: &str,
        bytes: u64,
        zeroing: Zeroing,
    ) -> Result<Held> {
        let freed = lock(&self.0).freed.take(bytes);
        let buffer = match freed {
            Some(buffer) => device.allocating(name, Demand::of(bytes), || {
                clear(device, &buffer, bytes);
                buffer
            })?,
            None => match self.allocate_anew(device, name, bytes, zeroing) {
                Err(Error::OutOfMemory { .. }) if self.give_back(device)? => {
                    self.allocate_anew(device, name, bytes, zeroing)?
                }
                allocated => allocated?,
            },
        };
        Ok(Held { buffer, bytes })
    }

    /// Makes this the memory of `id`.
    pub(super) fn hold(&self, id: BufferId, held: Held) {
        lock(&self.0).held.insert(id, held);
    }

    /// Allocates memory of the driver. If the zeros are to be written now, a separate submission
    /// writes them.
    fn allocate_anew(
        &self,
        device: &Device,
        name: &str,
        bytes: u64,
        zeroing: Zeroing,
    ) -> Result<wgpu::Buffer> {
        let demand = Demand {
            needed: bytes,
            in_use: lock(&self.0).held.values().map(|held| held.bytes).sum(),
        };
        let usage = wgpu::BufferUsages::STORAGE
            | wgpu::BufferUsages::COPY_SRC
            | wgpu::BufferUsages::COPY_DST;
        let descriptor = wgpu::BufferDescriptor {
            label: Some(name),
            size: bytes,
            usage,
            mapped_at_creation: false,
        };
        device.allocating(name, demand, || {
            let buffer = device.raw.create_buffer(&descriptor);
            if zeroing == Zeroing::Now {
                clear(device, &buffer, bytes);
            }
            buffer
        })
    }

    /// Gives the memory of freed buffers back to the driver. Returns whether there was any.
    pub(super) fn give_back(&self, device: &Device) -> Result<bool> {
        let freed: Vec<_> = lock(&self.0).freed.give_back().collect();
        freed.iter().for_each(wgpu::Buffer::destroy);
        // Their memory is free once nothing that was submitted uses them.
        device.wait(None)?;
        Ok(!freed.is_empty())
    }

    /// Returns the memory of a handle.
    pub(super) fn get(&self, id: BufferId) -> Result<Held> {
        let held = lock(&self.0).held.get(&id).cloned();
        held.ok_or_else(|| Error::validation("the device", "a buffer it does not hold"))
    }

    /// Frees the memory of `id`.
    pub(super) fn free(&self, id: BufferId) {
        let mut memory = lock(&self.0);
        if let Some(Held { buffer, .. }) = memory.held.remove(&id)
            && let Some(buffer) = memory.freed.keep(buffer.size(), buffer)
        {
            buffer.destroy();
        }
    }
}

/// Submits a command that sets the first bytes of a buffer to 0.
fn clear(device: &Device, buffer: &wgpu::Buffer, bytes: u64) {
    let mut encoder = device.encoder();
    encoder.clear_buffer(buffer, 0, Some(bytes));
    device.queue.submit([encoder.finish()]);
}
