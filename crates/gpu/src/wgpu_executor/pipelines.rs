//! Compiles kernels for the device, and keeps the compiled kernels.

use std::collections::{HashMap, HashSet};

use wgpu::{BindingType, BufferBindingType, ShaderStages};

use super::device::Device;
use crate::call::Call;
use crate::error::Result;
use crate::kernel::{Checks, Kernel};
use crate::record::LoopRecord;

/// A kernel that is ready to be dispatched.
#[derive(Clone)]
pub(super) struct Pipeline {
    pub(super) kernel: &'static Kernel,
    pub(super) raw: wgpu::ComputePipeline,
    pub(super) layout: wgpu::BindGroupLayout,
}

/// The address of a kernel, which identifies it because kernels are statics, and its constants,
/// which are part of the compiled kernel.
pub(super) type PipelineKey = (usize, Vec<u32>);

/// All kernels that have been compiled.
pub(super) struct Pipelines {
    compiled: HashMap<PipelineKey, Pipeline>,
    /// The layout of group 1: the record of this iteration, and the record of the next.
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
        let loop_layout = device.guarded("the loop's layout", || {
            device
                .raw
                .create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
                    label: Some("loop"),
                    entries: &[record(0, true), record(1, false)],
                })
        })?;
        Ok(Self {
            compiled: HashMap::new(),
            loop_layout,
        })
    }

    /// Returns the compiled kernel of `call`, and compiles it if necessary.
    pub(super) fn pipeline(&mut self, device: &Device, call: &Call) -> Result<Pipeline> {
        let key = pipeline_key(call);
        if let Some(pipeline) = self.compiled.get(&key) {
            return Ok(pipeline.clone());
        }
        let pipeline = Source::of(call).compile(device, &self.loop_layout)?;
        self.compiled.insert(key, pipeline.clone());
        Ok(pipeline)
    }

    /// Returns those of `sources` that are not compiled, without duplicates.
    pub(super) fn missing(&self, sources: Vec<Source>) -> Vec<Source> {
        let mut seen = HashSet::new();
        let is_missing = |source: &Source| {
            let key = source.key();
            !self.compiled.contains_key(&key) && seen.insert(key)
        };
        sources.into_iter().filter(is_missing).collect()
    }

    /// Stores a compiled kernel.
    pub(super) fn keep(&mut self, source: &Source, pipeline: Pipeline) {
        self.compiled.insert(source.key(), pipeline);
    }
}

/// Returns the key of the compiled kernel of `call`.
pub(super) fn pipeline_key(call: &Call) -> PipelineKey {
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
    /// Returns the kernel of `call`.
    pub(super) fn of(call: &Call) -> Self {
        Self {
            kernel: call.kernel,
            constants: call.constants.clone(),
        }
    }

    fn key(&self) -> PipelineKey {
        key_of(self.kernel, &self.constants)
    }

    /// Compiles the kernel, if the device can run it.
    ///
    /// # Errors
    ///
    /// [`Error`](crate::Error) with the name of the kernel: a limit, a missing feature, or an error
    /// in its code.
    pub(super) fn compile(
        &self,
        device: &Device,
        loop_layout: &wgpu::BindGroupLayout,
    ) -> Result<Pipeline> {
        device.info.can_run(self.kernel)?;
        let name = self.kernel.label();
        device.guarded(&name, || self.pipeline(device, loop_layout, &name))
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

/// Returns the layout of group 0, as naga read it from the WGSL.
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

/// Compiles the WGSL of a kernel. Kernels that mostly use workgroup memory are a twentieth faster
/// without checks.
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
    // SAFETY: the driver keeps accesses to buffers within them (`Device::checks`). The kernel is
    // one of this crate (`Checks::DEBUG`), and ensures the rest: its loops end, and its indices
    // into workgroup memory are in bounds, whatever its buffers contain.
    unsafe { device.raw.create_shader_module_trusted(descriptor, checks) }
}
