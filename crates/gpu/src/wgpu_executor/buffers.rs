//! The wgpu buffers that belong to the handles of callers.

use std::collections::HashMap;
use std::sync::Mutex;

use super::device::Device;
use super::sync::lock;
use crate::buffer::BufferId;
use crate::error::{Error, Result};

/// All buffers that callers hold, by their identity.
#[derive(Default)]
pub(super) struct Buffers(Mutex<HashMap<BufferId, wgpu::Buffer>>);

impl Buffers {
    /// Allocates `bytes` of zeros for `id`. `clear_now`: the zeros are written by a submission of
    /// their own, not at the first use.
    pub(super) fn create(
        &self,
        device: &Device,
        (id, name): (BufferId, &str),
        bytes: u64,
        clear_now: bool,
    ) -> Result<()> {
        let in_use = lock(&self.0).values().map(wgpu::Buffer::size).sum();
        let usage = wgpu::BufferUsages::STORAGE
            | wgpu::BufferUsages::COPY_SRC
            | wgpu::BufferUsages::COPY_DST;
        let descriptor = wgpu::BufferDescriptor {
            label: Some(name),
            size: bytes,
            usage,
            mapped_at_creation: false,
        };
        let buffer = device.guarded(name, (bytes, in_use), || {
            let buffer = device.raw.create_buffer(&descriptor);
            if clear_now {
                let mut encoder = device.encoder();
                encoder.clear_buffer(&buffer, 0, None);
                device.queue.submit([encoder.finish()]);
            }
            buffer
        })?;
        lock(&self.0).insert(id, buffer);
        Ok(())
    }

    /// wgpu's buffer of a handle.
    pub(super) fn get(&self, id: BufferId) -> Result<wgpu::Buffer> {
        let buffer = lock(&self.0).get(&id).cloned();
        buffer.ok_or_else(|| Error::validation("the device", "a buffer it does not hold"))
    }

    /// Frees the memory of `id`.
    pub(super) fn free(&self, id: BufferId) {
        if let Some(buffer) = lock(&self.0).remove(&id) {
            buffer.destroy();
        }
    }
}
