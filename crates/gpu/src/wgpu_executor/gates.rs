//! The kernel that gates a submission's steps, with its parameters: a few words a gate.

use wgpu::BufferUsages;

use super::device::Device;
use super::lock;
use super::records::Records;
use super::run::{Bound, Runner};
use crate::kernel::{Call, Kernel};
use crate::kernels::{self, GateParams};
use crate::{Error, Result};

/// The most gates of a submission.
pub(super) const MAX_GATES: usize = 256;

pub(super) struct Gates {
    params: wgpu::Buffer,
    /// The bytes from one gate's parameters to the next.
    stride: u64,
    bound: Option<Bound>,
}

impl Gates {
    pub(super) fn new(device: &Device) -> Result<Self> {
        let alignment = device.raw.limits().min_uniform_buffer_offset_alignment;
        let stride = (size_of::<GateParams>() as u64).next_multiple_of(alignment.into());
        let usage = BufferUsages::UNIFORM | BufferUsages::COPY_DST;
        Ok(Self {
            params: device.buffer("gates", MAX_GATES as u64 * stride, usage)?,
            stride,
            bound: None,
        })
    }

    /// Puts the parameters of a submission's gates in their places before it starts: `stride` is that of records,
    /// and `gates` are the records that hold what is asked.
    pub(super) fn write(
        &self,
        device: &Device,
        stride: u64,
        gates: impl Iterator<Item = u64>,
    ) -> Result<()> {
        let mut bytes = Vec::new();
        for (k, gate) in gates.enumerate() {
            bytes.resize(k * self.stride as usize, 0);
            bytes.extend_from_slice(bytemuck::bytes_of(&GateParams {
                stride: (stride / 4) as u32,
                gate: gate as u32,
            }));
        }
        device.guarded("gates", (0, 0), || {
            device.queue.write_buffer(&self.params, 0, &bytes);
        })
    }

    /// Gate number `index`, ready to be dispatched.
    pub(super) fn bound(
        &mut self,
        runner: &Runner<'_>,
        records: &Records,
        index: usize,
    ) -> Result<&Bound> {
        if self.bound.is_none() {
            self.bound = Some(self.bind(runner, records)?);
        }
        let bound = self.bound.as_mut();
        let bound = bound.ok_or_else(|| Error::validation(KERNEL, "is not bound"))?;
        bound.params = Some((index as u64 * self.stride) as u32);
        Ok(bound)
    }

    fn bind(&self, runner: &Runner<'_>, records: &Records) -> Result<Bound> {
        let device = &runner.executor.device;
        let pipeline = lock(&runner.executor.pipelines).pipeline(device, &Call::new(kernel()?))?;
        let params = wgpu::BindingResource::Buffer(wgpu::BufferBinding {
            buffer: &self.params,
            offset: 0,
            size: std::num::NonZero::new(size_of::<GateParams>() as u64),
        });
        let [even, odd] = &records.buffers;
        let resources = [even.as_entire_binding(), odd.as_entire_binding(), params];
        let entries: Vec<_> = (0..)
            .zip(resources)
            .map(|(binding, resource)| wgpu::BindGroupEntry { binding, resource })
            .collect();
        let group = device.guarded(KERNEL, (0, 0), || {
            device.raw.create_bind_group(&wgpu::BindGroupDescriptor {
                label: Some(KERNEL),
                layout: &pipeline.layout,
                entries: &entries,
            })
        })?;
        Ok(Bound {
            pipeline,
            group,
            params: None,
            bytes: 0,
        })
    }
}

const KERNEL: &str = "basic/gate";

fn kernel() -> Result<&'static Kernel> {
    let mut kernels = kernels::ALL.iter();
    kernels
        .find(|kernel| kernel.name == KERNEL)
        .ok_or_else(|| Error::validation(KERNEL, "there is no such kernel"))
}
