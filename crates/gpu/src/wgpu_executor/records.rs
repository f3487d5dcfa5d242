//! The records that set the size of dispatches: those of the iterations of loops, and those of
//! steps that may be skipped.
//!
//! Even records lie in one buffer and odd ones in another, because a dispatch must not write to the
//! buffer that sizes it. The records of a submission are written before it and read after it, all
//! together.

use std::num::NonZero;

use wgpu::BufferUsages;

use super::device::{Device, take_mapped};
use super::encode::Commands;
use crate::error::Result;
use crate::record::LoopRecord;
use crate::repeat::MAX_UNWATCHED;

/// The maximum number of records of a submission; an even number.
pub(super) const CAPACITY: u64 = 2048;

/// The first record of loops that the host does not watch; an even number. Batches of other loops
/// are much shorter.
pub(super) const UNWATCHED: u64 = CAPACITY - 2 * MAX_UNWATCHED;

/// The size of a record, in bytes.
pub(super) const RECORD: u64 = size_of::<LoopRecord>() as u64;

/// The records on the device.
pub(super) struct Records {
    /// The buffer of even records, and that of odd ones.
    pub(super) buffers: [wgpu::Buffer; 2],
    /// Group 1 of kernels, for even and for odd iterations.
    pub(super) groups: [wgpu::BindGroup; 2],
    /// The staging buffers that are not in use. Submissions copy their records to such buffers for
    /// the host.
    staging: Vec<wgpu::Buffer>,
    /// The distance between two records of a buffer, in bytes.
    stride: u64,
}

impl Records {
    /// Makes the records. `layout` is the layout of group 1.
    pub(super) fn new(device: &Device, layout: &wgpu::BindGroupLayout) -> Result<Self> {
        let alignment = device.raw.limits().min_storage_buffer_offset_alignment;
        let stride = RECORD.next_multiple_of(alignment.into());
        let usage = BufferUsages::STORAGE
            | BufferUsages::INDIRECT
            | BufferUsages::COPY_SRC
            | BufferUsages::COPY_DST;
        let half = |name| device.buffer(name, CAPACITY / 2 * stride, usage);
        let [even, odd] = [half("even records")?, half("odd records")?];
        let groups = device.guarded("loop records", || {
            [(&even, &odd), (&odd, &even)].map(|pair| group(device, layout, pair))
        })?;
        Ok(Self {
            buffers: [even, odd],
            groups,
            staging: Vec::new(),
            stride,
        })
    }

    /// Returns the byte offset of record `index` in its buffer.
    pub(super) fn at(&self, index: u64) -> u64 {
        index / 2 * self.stride
    }

    /// Returns the number of bytes that the first `count` records take in either buffer.
    fn half(&self, count: u64) -> u64 {
        count.div_ceil(2) * self.stride
    }

    /// Writes `records` to their places before the next submission starts.
    pub(super) fn write(&self, device: &Device, what: &str, records: &[LoopRecord]) -> Result<()> {
        let mut halves = [Vec::new(), Vec::new()];
        for (k, record) in (0_u64..).zip(records) {
            let half = &mut halves[(k % 2) as usize];
            half.resize(self.at(k) as usize, 0);
            half.extend_from_slice(bytemuck::bytes_of(record));
        }
        device.guarded(what, || {
            for (buffer, half) in self.buffers.iter().zip(&halves) {
                device.queue.write_buffer(buffer, 0, half);
            }
        })
    }

    /// Encodes, at the end of a submission, that the first `count` records are copied to the host.
    /// Returns the staging buffer that will contain them.
    pub(super) fn copy_out(
        &mut self,
        device: &Device,
        commands: &mut Commands<'_>,
        count: u64,
    ) -> Result<wgpu::Buffer> {
        let staging = match self.staging.pop() {
            Some(staging) => staging,
            None => device.buffer(
                "records for the host",
                CAPACITY * self.stride,
                BufferUsages::MAP_READ | BufferUsages::COPY_DST,
            )?,
        };
        let half = self.half(count);
        let encoder = commands.encoder();
        for (buffer, at) in self.buffers.iter().zip([0, half]) {
            encoder.copy_buffer_to_buffer(buffer, 0, &staging, at, half);
        }
        Ok(staging)
    }

    /// Returns the byte offset after `count` records in a staging buffer.
    pub(super) fn behind(&self, count: u64) -> u64 {
        2 * self.half(count)
    }

    /// Returns the first `count` records, and the next `bytes` bytes. The submission that copied
    /// them must be done, and `staging` must be mapped.
    pub(super) fn take(
        &mut self,
        staging: wgpu::Buffer,
        count: u64,
        bytes: u64,
    ) -> Result<(Vec<LoopRecord>, Vec<u8>)> {
        let half = self.half(count);
        let mut bytes: Vec<u8> = take_mapped(&staging, self.behind(count) + bytes)?;
        self.give_back(staging);
        let behind = bytes.split_off(self.behind(count) as usize);
        let each = (0..count).map(|k| {
            let start = (self.at(k) + k % 2 * half) as usize;
            bytemuck::pod_read_unaligned(&bytes[start..start + RECORD as usize])
        });
        Ok((each.collect(), behind))
    }

    /// Takes back a staging buffer that is not mapped. The submission that fills it may still be in
    /// progress: the next submission that uses the buffer runs later.
    pub(super) fn give_back(&mut self, staging: wgpu::Buffer) {
        self.staging.push(staging);
    }
}

/// Makes group 1 of kernels: the record of this iteration and that of the next, at any offset in
/// their buffers.
fn group(
    device: &Device,
    layout: &wgpu::BindGroupLayout,
    (now, next): (&wgpu::Buffer, &wgpu::Buffer),
) -> wgpu::BindGroup {
    let entry = |binding: u32, buffer| wgpu::BindGroupEntry {
        binding,
        resource: wgpu::BindingResource::Buffer(wgpu::BufferBinding {
            buffer,
            offset: 0,
            size: NonZero::new(RECORD),
        }),
    };
    device.raw.create_bind_group(&wgpu::BindGroupDescriptor {
        label: Some("loop"),
        layout,
        entries: &[entry(0, now), entry(1, next)],
    })
}
