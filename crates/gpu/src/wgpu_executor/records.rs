//! The records that size dispatches: those of loops' iterations, and those of steps that may be left out.
//!
//! Even records lie in one buffer and odd ones in another, because a dispatch must not write to the buffer that
//! sizes it. The records of a submission are written before it and read after it, all together.

use wgpu::BufferUsages;

use super::device::Device;
use super::lock;
use super::run::{Runner, take_mapped};
use crate::Result;
use crate::outcome::LoopRecord;

/// The most records of a submission; an even number.
pub(super) const CAPACITY: u64 = 2048;

/// The bytes of a record.
pub(super) const RECORD: u64 = size_of::<LoopRecord>() as u64;

pub(super) struct Records {
    /// Even records, then odd ones.
    pub(super) buffers: [wgpu::Buffer; 2],
    /// Group 1 for even and for odd iterations.
    groups: Option<[wgpu::BindGroup; 2]>,
    /// Where submissions leave their records for the host; those that no one waits for.
    staging: Vec<wgpu::Buffer>,
    /// The bytes between two records of a buffer.
    pub(super) stride: u64,
}

impl Records {
    pub(super) fn new(device: &Device) -> Result<Self> {
        let alignment = device.raw.limits().min_storage_buffer_offset_alignment;
        let stride = RECORD.next_multiple_of(alignment.into());
        let usage = BufferUsages::STORAGE
            | BufferUsages::INDIRECT
            | BufferUsages::COPY_SRC
            | BufferUsages::COPY_DST;
        let half = |name| device.buffer(name, CAPACITY / 2 * stride, usage);
        Ok(Self {
            buffers: [half("even records")?, half("odd records")?],
            groups: None,
            staging: Vec::new(),
            stride,
        })
    }

    /// The byte of record `index` in its buffer.
    pub(super) fn at(&self, index: u64) -> u64 {
        index / 2 * self.stride
    }

    /// The bytes that the first `count` records take in either buffer.
    fn half(&self, count: u64) -> u64 {
        count.div_ceil(2) * self.stride
    }

    /// Puts `records` in their places before the next submission starts.
    pub(super) fn write(&self, device: &Device, what: &str, records: &[LoopRecord]) -> Result<()> {
        let mut halves = [Vec::new(), Vec::new()];
        for (k, record) in (0_u64..).zip(records) {
            let half = &mut halves[(k % 2) as usize];
            half.resize(self.at(k) as usize, 0);
            half.extend_from_slice(bytemuck::bytes_of(record));
        }
        device.guarded(what, (0, 0), || {
            for (buffer, half) in self.buffers.iter().zip(&halves) {
                device.queue.write_buffer(buffer, 0, half);
            }
        })
    }

    /// Ends a submission's commands: the first `count` records go to the host.
    pub(super) fn copy_out(&mut self, runner: &mut Runner<'_>, count: u64) -> Result<wgpu::Buffer> {
        let staging = match self.staging.pop() {
            Some(staging) => staging,
            None => runner.executor.device.buffer(
                "records for the host",
                CAPACITY * self.stride,
                BufferUsages::MAP_READ | BufferUsages::COPY_DST,
            )?,
        };
        let half = self.half(count);
        let encoder = runner.commands.encoder();
        for (buffer, at) in self.buffers.iter().zip([0, half]) {
            encoder.copy_buffer_to_buffer(buffer, 0, &staging, at, half);
        }
        Ok(staging)
    }

    /// The first `count` records, once the submission that copied them is done and `staging` is mapped.
    pub(super) fn take(&mut self, staging: wgpu::Buffer, count: u64) -> Result<Vec<LoopRecord>> {
        let half = self.half(count);
        let bytes: Vec<u8> = take_mapped(&staging, 2 * half)?;
        self.give_back(staging);
        let each = (0..count).map(|k| {
            let start = (self.at(k) + k % 2 * half) as usize;
            bytemuck::pod_read_unaligned(&bytes[start..start + RECORD as usize])
        });
        Ok(each.collect())
    }

    /// Nobody waits any more for what a submission leaves in `staging`, which is not mapped. The submission may still be
    /// under way: the next one to use it comes behind.
    pub(super) fn give_back(&mut self, staging: wgpu::Buffer) {
        self.staging.push(staging);
    }

    pub(super) fn groups(&mut self, runner: &Runner<'_>) -> Result<[wgpu::BindGroup; 2]> {
        if let Some(groups) = &self.groups {
            return Ok(groups.clone());
        }
        let device = &runner.executor.device;
        let pipelines = lock(&runner.executor.pipelines);
        let entry = |binding: u32, buffer| wgpu::BindGroupEntry {
            binding,
            resource: wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                buffer,
                offset: 0,
                size: std::num::NonZero::new(RECORD),
            }),
        };
        let group = |now, next| {
            device.raw.create_bind_group(&wgpu::BindGroupDescriptor {
                label: Some("loop"),
                layout: &pipelines.loop_layout,
                entries: &[entry(0, now), entry(1, next)],
            })
        };
        let [even, odd] = &self.buffers;
        let groups = device.guarded("loop records", (0, 0), || {
            [group(even, odd), group(odd, even)]
        })?;
        self.groups = Some(groups.clone());
        Ok(groups)
    }
}
