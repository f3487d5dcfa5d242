//! Kernels compiled for the device, and bound to buffers. Both are kept.

use std::collections::{HashMap, HashSet};

use wgpu::{BindingType, BufferBindingType, ShaderStages};

use super::WgpuExecutor;
use super::device::Device;
use super::lock;
use crate::Result;
use crate::buffer::BufferId;
use crate::kernel::{Call, Checks, Kernel};
use crate::outcome::LoopRecord;

/// A kernel ready to be dispatched.
#[derive(Clone)]
pub(super) struct Pipeline {
    pub(super) kernel: &'static Kernel,
    pub(super) raw: wgpu::ComputePipeline,
    pub(super) layout: wgpu::BindGroupLayout,
}

/// Kernels are statics: their address names them. Constants are part of what is compiled.
type PipelineKey = (usize, Vec<u32>);

/// The buffers of a bind group; the parameters' buffer is another one whenever it has grown.
type GroupKey = (PipelineKey, Vec<BufferId>, u64);

pub(super) struct Pipelines {
    pipelines: HashMap<PipelineKey, Pipeline>,
    groups: HashMap<GroupKey, wgpu::BindGroup>,
    /// The layout of group 1: the record of this iteration, and that of the next.
    pub(super) loop_layout: wgpu::BindGroupLayout,
}

impl Pipelines {
    pub(super) fn new(device: &Device) -> Result<Self> {
        let size = std::num::NonZero::new(size_of::<LoopRecord>() as u64);
        let record = |binding, read_only| wgpu::BindGroupLayoutEntry {
            ty: BindingType::Buffer {
                ty: BufferBindingType::Storage { read_only },
                has_dynamic_offset: true,
                min_binding_size: size,
            },
            ..entry(binding)
        };
        let loop_layout = device.guarded("the loop's layout", (0, 0), || {
            device
                .raw
                .create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
                    label: Some("loop"),
                    entries: &[record(0, true), record(1, false)],
                })
        })?;
        Ok(Self {
            pipelines: HashMap::new(),
            groups: HashMap::new(),
            loop_layout,
        })
    }

    /// The kernel of `call`, compiled.
    pub(super) fn pipeline(&mut self, device: &Device, call: &Call) -> Result<Pipeline> {
        let key = pipeline_key(call);
        if let Some(pipeline) = self.pipelines.get(&key) {
            return Ok(pipeline.clone());
        }
        let pipeline = Source::of(call).compile(device, &self.loop_layout)?;
        self.pipelines.insert(key, pipeline.clone());
        Ok(pipeline)
    }

    /// Those of some kernels that are not compiled, each once.
    pub(super) fn missing(&self, sources: Vec<Source>) -> Vec<Source> {
        let mut seen = HashSet::new();
        let is_missing = |source: &Source| {
            let key = source.key();
            !self.pipelines.contains_key(&key) && seen.insert(key)
        };
        sources.into_iter().filter(is_missing).collect()
    }

    /// Keeps a kernel that was compiled.
    pub(super) fn keep(&mut self, source: &Source, pipeline: Pipeline) {
        self.pipelines.insert(source.key(), pipeline);
    }

    /// The group of `call`'s buffers, and its parameters somewhere in `arena`, the `generation`th.
    pub(super) fn group(
        &mut self,
        executor: &WgpuExecutor,
        call: &Call,
        pipeline: &Pipeline,
        (arena, generation): (&wgpu::Buffer, u64),
    ) -> Result<wgpu::BindGroup> {
        let ids: Vec<BufferId> = call.buffers.iter().map(crate::AnyBuffer::id).collect();
        let generation = call.kernel.params.map_or(0, |_| generation);
        let key = (pipeline_key(call), ids, generation);
        if let Some(group) = self.groups.get(&key) {
            return Ok(group.clone());
        }
        let buffers: Vec<wgpu::Buffer> = {
            let held = lock(&executor.buffers);
            key.1
                .iter()
                .filter_map(|id| held.get(id).cloned())
                .collect()
        };
        let slots = call.kernel.buffers.iter().zip(&buffers);
        let mut entries: Vec<_> = slots
            .map(|(slot, buffer)| wgpu::BindGroupEntry {
                binding: slot.binding,
                resource: buffer.as_entire_binding(),
            })
            .collect();
        if let Some(params) = call.kernel.params {
            let size = std::num::NonZero::new(u64::from(params.bytes));
            let resource = wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                buffer: arena,
                offset: 0,
                size,
            });
            entries.push(wgpu::BindGroupEntry {
                binding: params.binding,
                resource,
            });
        }
        let name = call.kernel.label();
        let group = executor.device.guarded(&name, (0, 0), || {
            executor
                .device
                .raw
                .create_bind_group(&wgpu::BindGroupDescriptor {
                    label: Some(&name),
                    layout: &pipeline.layout,
                    entries: &entries,
                })
        })?;
        self.groups.insert(key, group.clone());
        Ok(group)
    }

    /// Drops the groups that hold a buffer.
    pub(super) fn forget(&mut self, id: BufferId) {
        self.groups.retain(|(_, ids, _), _| !ids.contains(&id));
    }

    /// Drops the groups that hold an outgrown arena.
    pub(super) fn forget_arenas_before(&mut self, generation: u64) {
        self.groups
            .retain(|(_, _, of), _| *of == 0 || *of >= generation);
    }
}

fn pipeline_key(call: &Call) -> PipelineKey {
    key_of(call.kernel, &call.constants)
}

fn key_of(kernel: &'static Kernel, constants: &[(&'static str, u32)]) -> PipelineKey {
    (
        std::ptr::from_ref(kernel).addr(),
        constants.iter().map(|(_, value)| *value).collect(),
    )
}

/// A kernel to be compiled, with its constants.
#[derive(Clone)]
pub(super) struct Source {
    kernel: &'static Kernel,
    constants: Vec<(&'static str, u32)>,
}

impl Source {
    /// The kernel that is called.
    pub(super) fn of(call: &Call) -> Self {
        Self {
            kernel: call.kernel,
            constants: call.constants.clone(),
        }
    }

    fn key(&self) -> PipelineKey {
        key_of(self.kernel, &self.constants)
    }

    /// Compiles it, if the device can run it.
    pub(super) fn compile(
        &self,
        device: &Device,
        loop_layout: &wgpu::BindGroupLayout,
    ) -> Result<Pipeline> {
        device.info.can_run(self.kernel)?;
        let name = self.kernel.label();
        device.guarded(&name, (0, 0), || self.pipeline(device, loop_layout, &name))
    }

    fn pipeline(
        &self,
        device: &Device,
        loop_layout: &wgpu::BindGroupLayout,
        name: &str,
    ) -> Pipeline {
        let kernel = self.kernel;
        let layout = device
            .raw
            .create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
                label: Some(name),
                entries: &entries(kernel),
            });
        let in_loop = kernel.is_in_loop();
        let groups = [Some(&layout), in_loop.then_some(loop_layout)];
        let pipeline_layout = device
            .raw
            .create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
                label: Some(name),
                bind_group_layouts: if in_loop { &groups } else { &groups[..1] },
                immediate_size: 0,
            });
        let module = module(device, kernel, name);
        let constants: Vec<(&str, f64)> = self
            .constants
            .iter()
            .map(|(name, value)| (*name, f64::from(*value)))
            .collect();
        let raw = device
            .raw
            .create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: Some(name),
                layout: Some(&pipeline_layout),
                module: &module,
                entry_point: Some(kernel.entry),
                compilation_options: wgpu::PipelineCompilationOptions {
                    constants: &constants,
                    ..Default::default()
                },
                cache: None,
            });
        Pipeline {
            kernel,
            raw,
            layout,
        }
    }
}

fn entry(binding: u32) -> wgpu::BindGroupLayoutEntry {
    wgpu::BindGroupLayoutEntry {
        binding,
        visibility: ShaderStages::COMPUTE,
        ty: BindingType::Buffer {
            ty: BufferBindingType::Uniform,
            has_dynamic_offset: true,
            min_binding_size: None,
        },
        count: None,
    }
}

/// The layout of group 0, as naga read it from the WGSL.
fn entries(kernel: &Kernel) -> Vec<wgpu::BindGroupLayoutEntry> {
    let storage = kernel
        .buffers
        .iter()
        .map(|slot| wgpu::BindGroupLayoutEntry {
            ty: BindingType::Buffer {
                ty: BufferBindingType::Storage {
                    read_only: !slot.writes,
                },
                has_dynamic_offset: false,
                min_binding_size: None,
            },
            ..entry(slot.binding)
        });
    storage
        .chain(kernel.params.map(|params| entry(params.binding)))
        .collect()
}

/// A kernel's WGSL, compiled. Checks take a twentieth of the time of kernels that mostly use the memory of workgroups.
#[allow(unsafe_code)]
fn module(device: &Device, kernel: &Kernel, name: &str) -> wgpu::ShaderModule {
    let descriptor = wgpu::ShaderModuleDescriptor {
        label: Some(name),
        source: wgpu::ShaderSource::Wgsl(kernel.source.into()),
    };
    if device.checks || kernel.checks == Checks::ALWAYS {
        return device.raw.create_shader_module(descriptor);
    }
    let checks = wgpu::ShaderRuntimeChecks {
        bounds_checks: false,
        force_loop_bounding: false,
        ..wgpu::ShaderRuntimeChecks::checked()
    };
    // SAFETY: the driver keeps accesses to buffers within them (`Device::checks`). Of all else the kernel takes care, which is of this
    // crate (`Checks::DEBUG`): its indices into a workgroup's memory are within it, whatever lies in buffers, and its loops end.
    unsafe { device.raw.create_shader_module_trusted(descriptor, checks) }
}
