//! Timestamps around dispatches.

use std::collections::BTreeMap;

use wgpu::BufferUsages;

use super::device::Device;
use crate::error::Result;
use crate::kernel::Kernel;
use crate::outcome::{DispatchTime, PassTime};

/// The maximum number of dispatches that are timed in one submission. The query set holds twice as
/// many timestamps, which is the maximum that WebGPU allows.
pub(super) const MAX_TIMED: u32 = 2048;

/// Times the dispatches of one submission after another.
pub(super) struct Timer {
    queries: wgpu::QuerySet,
    resolved: wgpu::Buffer,
    staging: wgpu::Buffer,
    /// The kernels dispatched since the last submission.
    pending: Vec<&'static Kernel>,
    /// The number of calls and the ticks of each kernel, by its label.
    sums: BTreeMap<String, (u64, u64)>,
    /// The kernel and the ticks of each call.
    each: Vec<(&'static str, u64)>,
}

impl Timer {
    /// Makes a timer, if the adapter has timestamps.
    pub(super) fn new(device: &Device) -> Result<Option<Self>> {
        if !device.info.timestamps {
            return Ok(None);
        }
        let queries = device.guarded("timestamps", || {
            device.raw.create_query_set(&wgpu::QuerySetDescriptor {
                label: Some("timestamps"),
                ty: wgpu::QueryType::Timestamp,
                count: 2 * MAX_TIMED,
            })
        })?;
        let bytes = u64::from(2 * MAX_TIMED) * 8;
        let resolved = device.buffer(
            "timestamps",
            bytes,
            BufferUsages::QUERY_RESOLVE | BufferUsages::COPY_SRC,
        )?;
        let staging = device.buffer(
            "timestamps",
            bytes,
            BufferUsages::MAP_READ | BufferUsages::COPY_DST,
        )?;
        Ok(Some(Self {
            queries,
            resolved,
            staging,
            pending: Vec::new(),
            sums: BTreeMap::new(),
            each: Vec::new(),
        }))
    }

    /// Returns whether `more` dispatches can still be timed in this submission.
    pub(super) fn has_room(&self, more: u32) -> bool {
        self.pending.len() as u32 + more <= MAX_TIMED
    }

    /// Returns where the next dispatch, of `kernel`, writes its timestamps, or `None` if there is
    /// no room.
    pub(super) fn stamps(
        &mut self,
        kernel: &'static Kernel,
    ) -> Option<wgpu::ComputePassTimestampWrites<'_>> {
        if !self.has_room(1) {
            return None;
        }
        let first = 2 * self.pending.len() as u32;
        self.pending.push(kernel);
        Some(wgpu::ComputePassTimestampWrites {
            query_set: &self.queries,
            beginning_of_pass_write_index: Some(first),
            end_of_pass_write_index: Some(first + 1),
        })
    }

    /// Encodes, at the end of a submission, the commands that copy the timestamps to the host.
    pub(super) fn resolve(&self, encoder: &mut wgpu::CommandEncoder) {
        let count = 2 * self.pending.len() as u32;
        if count > 0 {
            encoder.resolve_query_set(&self.queries, 0..count, &self.resolved, 0);
            encoder.copy_buffer_to_buffer(
                &self.resolved,
                0,
                &self.staging,
                0,
                u64::from(count) * 8,
            );
        }
    }

    /// Waits for the submission, and adds its times to the sums.
    pub(super) fn collect(&mut self, device: &Device) -> Result<()> {
        let pending = std::mem::take(&mut self.pending);
        if pending.is_empty() {
            return Ok(());
        }
        let stamps = device.read_back::<u64>(&self.staging, 2 * pending.len() as u64)?;
        for (kernel, pair) in pending.iter().zip(stamps.chunks_exact(2)) {
            let sum = self.sums.entry(kernel.label()).or_default();
            let ticks = pair[1].saturating_sub(pair[0]);
            *sum = (sum.0 + 1, sum.1 + ticks);
            self.each.push((kernel.name, ticks));
        }
        Ok(())
    }

    /// Returns the sums, largest first, and the time of each call.
    pub(super) fn finish(self, device: &Device) -> (Vec<PassTime>, Vec<DispatchTime>) {
        let period = f64::from(device.queue.get_timestamp_period());
        let each = self
            .sums
            .into_iter()
            .map(|(name, (calls, ticks))| PassTime {
                name,
                calls,
                nanoseconds: (ticks as f64 * period) as u64,
            });
        let mut times: Vec<PassTime> = each.collect();
        times.sort_by_key(|time| std::cmp::Reverse(time.nanoseconds));
        let each = self.each.iter();
        let each = each.map(|&(kernel, ticks)| DispatchTime {
            kernel,
            nanoseconds: (ticks as f64 * period) as u64,
        });
        (times, each.collect())
    }
}
