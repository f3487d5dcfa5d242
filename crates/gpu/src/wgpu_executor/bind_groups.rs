//! Kernels bound to buffers. A bind group is kept until one of its buffers is freed.

use std::collections::HashMap;
use std::num::NonZero;

use super::buffers::{Buffers, Held};
use super::device::Device;
use super::pipelines::{Pipeline, PipelineKey, pipeline_key};
use super::uniforms::Uniforms;
use crate::buffer::{AnyBuffer, BufferId};
use crate::call::Call;
use crate::error::Result;

/// A kernel, its buffers, and the generation of the buffer of uniforms, which is 0 if the kernel
/// has no parameters.
type Key = (PipelineKey, Vec<BufferId>, u64);

/// All bind groups of buffers of callers.
#[derive(Default)]
pub(super) struct BindGroups(HashMap<Key, wgpu::BindGroup>);

impl BindGroups {
    /// Returns the bind group of the buffers of `call`. The parameters may be anywhere in
    /// `uniforms`.
    pub(super) fn of(
        &mut self,
        device: &Device,
        buffers: &Buffers,
        uniforms: &Uniforms,
        call: &Call,
        pipeline: &Pipeline,
    ) -> Result<wgpu::BindGroup> {
        let ids: Vec<BufferId> = call.buffers.iter().map(AnyBuffer::id).collect();
        let generation = call.kernel.params.map_or(0, |_| uniforms.generation());
        let key = (pipeline_key(call), ids, generation);
        if let Some(group) = self.0.get(&key) {
            return Ok(group.clone());
        }
        let bound: Vec<Held> = key
            .1
            .iter()
            .map(|id| buffers.get(*id))
            .collect::<Result<_>>()?;
        let slots = call.kernel.buffers.iter().zip(&bound);
        let mut entries: Vec<_> = slots
            .map(|(slot, held)| wgpu::BindGroupEntry {
                binding: slot.binding,
                resource: held.binding(),
            })
            .collect();
        entries.extend(call.kernel.params.map(|params| wgpu::BindGroupEntry {
            binding: params.binding,
            resource: wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                buffer: uniforms.buffer(),
                offset: 0,
                size: NonZero::new(u64::from(params.bytes)),
            }),
        }));
        let name = call.kernel.label();
        let group = device.guarded(&name, || {
            device.raw.create_bind_group(&wgpu::BindGroupDescriptor {
                label: Some(&name),
                layout: &pipeline.layout,
                entries: &entries,
            })
        })?;
        self.0.insert(key, group.clone());
        Ok(group)
    }

    /// Drops the groups that contain a buffer, because they would keep its memory alive.
    pub(super) fn forget(&mut self, id: BufferId) {
        self.0.retain(|(_, ids, _), _| !ids.contains(&id));
    }

    /// Drops the groups that contain the uniforms' buffer of an earlier generation.
    pub(super) fn forget_uniforms_before(&mut self, generation: u64) {
        self.0.retain(|(_, _, of), _| *of == 0 || *of >= generation);
    }
}
