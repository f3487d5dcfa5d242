//! Encodes the commands of the next submission.

use super::device::Device;
use super::plan::{Bound, Transfer};
use super::timing::Timer;
use crate::error::Result;

/// The commands of the next submission.
pub(super) struct Commands<'a> {
    device: &'a Device,
    encoder: Option<wgpu::CommandEncoder>,
    pass: Option<wgpu::ComputePass<'static>>,
    /// The pipeline, the bind group and the parameters of the last dispatch of the pass.
    last: Option<(wgpu::ComputePipeline, wgpu::BindGroup, Option<u32>)>,
    pub(super) timer: Option<Timer>,
}

impl<'a> Commands<'a> {
    pub(super) fn new(device: &'a Device, timer: Option<Timer>) -> Self {
        Self {
            device,
            encoder: None,
            pass: None,
            last: None,
            timer,
        }
    }

    /// Ends the current pass, and returns the encoder.
    pub(super) fn encoder(&mut self) -> &mut wgpu::CommandEncoder {
        self.pass = None;
        let device = self.device;
        self.encoder.get_or_insert_with(|| device.encoder())
    }

    /// Returns the pass for a dispatch of `bound`, with its pipeline and buffers set. Each timed
    /// dispatch has a separate pass; others share one.
    pub(super) fn pass(&mut self, bound: &Bound) -> &mut wgpu::ComputePass<'static> {
        if self.timer.is_some() {
            self.pass = None;
        }
        let device = self.device;
        let encoder = self.encoder.get_or_insert_with(|| device.encoder());
        if self.pass.is_none() {
            self.last = None;
        }
        let pass = self.pass.get_or_insert_with(|| {
            let timestamp_writes = self
                .timer
                .as_mut()
                .and_then(|timer| timer.stamps(bound.pipeline.kernel));
            let descriptor = wgpu::ComputePassDescriptor {
                label: None,
                timestamp_writes,
            };
            encoder.begin_compute_pass(&descriptor).forget_lifetime()
        });
        let set = (&bound.pipeline.raw, &bound.group, bound.params);
        let last = self.last.as_ref();
        // The iterations of a loop with one kernel differ only in their records.
        if last.map(|(pipeline, group, params)| (pipeline, group, *params)) != Some(set) {
            pass.set_pipeline(set.0);
            pass.set_bind_group(0, set.1, set.2.as_slice());
            self.last = Some((set.0.clone(), set.1.clone(), set.2));
        }
        pass
    }

    /// Encodes a copy.
    pub(super) fn copy(&mut self, transfer: &Transfer) {
        let Transfer {
            from,
            range,
            to,
            at,
        } = transfer;
        if !range.is_empty() {
            let bytes = range.end - range.start;
            self.encoder()
                .copy_buffer_to_buffer(from, range.start, to, *at, bytes);
        }
    }

    /// Submits the commands that were encoded since the last submission, if there are any.
    pub(super) fn submit(&mut self) -> Result<Option<wgpu::SubmissionIndex>> {
        self.pass = None;
        let Some(mut encoder) = self.encoder.take() else {
            return Ok(None);
        };
        if let Some(timer) = &self.timer {
            timer.resolve(&mut encoder);
        }
        let device = self.device;
        device.guarded("a recording", || {
            Some(device.queue.submit([encoder.finish()]))
        })
    }
}
