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

/// The most records of a submission; an even number.
pub(super) const CAPACITY: u64 = 2048;

/// Where the records of loops begin that the host does not watch; an even number. Batches of other
/// loops are much shorter than that.
pub(super) const UNWATCHED: u64 = CAPACITY - 2 * MAX_UNWATCHED;

/// The bytes of a record.
pub(super) const RECORD: u64 = size_of::<LoopRecord>() as u64;

/// The records on the device.
pub(super) struct Records {
    /// Even records, then odd ones.
    pub(super) buffers: [wgpu::Buffer; 2],
    /// Group 1 of kernels, for even and for odd iterations.
    pub(super) groups: [wgpu::BindGroup; 2],
    /// Where submissions leave their records for the host; those that are not in use.
    staging: Vec<wgpu::Buffer>,
    /// The bytes between two records of a buffer.
    stride: u64,
}

impl Records {
    /// `layout` is that of group 1.
    pub(super) fn new(device: &Device, layout: &wgpu::BindGroupLayout) -> Result<Self> {
        let alignment = device.raw.limits().min_storage_buffer_offset_alignment;
        let stride = RECORD.next_multiple_of(alignment.into());
        let usage = BufferUsages::STORAGE
            | BufferUsages::INDIRECT
            | BufferUsages::COPY_SRC
            | BufferUsages::COPY_DST;
        let half = |name| device.buffer(name, CAPACITY / 2 * stride, usage);
        let [even, odd] = [half("even records")?, half("odd records")?];
        let groups = device.guarded("loop records", (0, 0), || {
            [(&even, &odd), (&odd, &even)].map(|pair| group(device, layout, pair))
        })?;
        Ok(Self {
            buffers: [even, odd],
            groups,
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

    /// Encodes, at the end of a submission, that the first `count` records go to the host. Returns
    /// where they will be.
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

    /// The byte of a staging buffer after `count` records.
    pub(super) fn behind(&self, count: u64) -> u64 {
        2 * self.half(count)
    }

    /// The first `count` records, and as many bytes after them, once the submission that copied
    /// them is done and `staging` is mapped.
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

    /// Takes back a staging buffer that is not mapped. The submission that fills it may still be
    /// under way: the next one that uses it runs later.
    pub(super) fn give_back(&mut self, staging: wgpu::Buffer) {
        self.staging.push(staging);
    }
}

/// Group 1 of kernels: the records of this iteration and of the next, wherever they lie in their
/// buffers.
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
