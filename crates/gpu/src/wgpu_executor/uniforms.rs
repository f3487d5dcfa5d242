//! The small data that the host passes to a run: parameters of kernels, and recorded writes. All of
//! them are in one buffer, which is written once, before the run.

use wgpu::BufferUsages;

use super::device::{Demand, Device};
use crate::error::Result;

/// The buffer, and the data for the next run.
pub(super) struct Uniforms {
    buffer: wgpu::Buffer,
    /// The number of buffers so far, at least 1. A buffer that is too small is replaced.
    generation: u64,
    /// The alignment of uniforms, in bytes.
    alignment: usize,
    bytes: Vec<u8>,
}

impl Uniforms {
    /// The size of the first buffer, in bytes.
    const SIZE: u64 = 64 << 10;

    pub(super) fn new(device: &Device) -> Result<Self> {
        let limits = device.raw.limits();
        Ok(Self {
            buffer: Self::allocate(device, Self::SIZE)?,
            generation: 1,
            alignment: limits.min_uniform_buffer_offset_alignment.max(4) as usize,
            bytes: Vec::new(),
        })
    }

    fn allocate(device: &Device, size: u64) -> Result<wgpu::Buffer> {
        let usage = BufferUsages::UNIFORM | BufferUsages::COPY_SRC | BufferUsages::COPY_DST;
        device.buffer("parameters", size, usage)
    }

    /// Returns the buffer of the runs after the last [`send`](Self::send).
    pub(super) fn buffer(&self) -> &wgpu::Buffer {
        &self.buffer
    }

    /// Returns the number of the buffer.
    pub(super) fn generation(&self) -> u64 {
        self.generation
    }

    /// Removes all data, for the next run.
    pub(super) fn clear(&mut self) {
        self.bytes.clear();
    }

    /// Adds data. Returns their byte offset.
    pub(super) fn push(&mut self, data: &[u8]) -> u64 {
        let at = self.bytes.len().next_multiple_of(self.alignment);
        self.bytes.resize(at, 0);
        self.bytes.extend_from_slice(data);
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        at as u64
    }

    /// Sends all data to the device. If they do not fit the buffer, it is replaced by a larger one.
    /// Returns whether it was replaced.
    pub(super) fn send(&mut self, device: &Device) -> Result<bool> {
        let needed = self.bytes.len() as u64;
        let is_outgrown = needed > self.buffer.size();
        if is_outgrown {
            self.buffer = Self::allocate(device, needed.next_power_of_two())?;
            self.generation += 1;
        }
        device.allocating("parameters", Demand::of(needed), || {
            device.queue.write_buffer(&self.buffer, 0, &self.bytes);
        })?;
        Ok(is_outgrown)
    }
}
