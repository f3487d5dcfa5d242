//! The adapters that wgpu finds, with their descriptions and limits.

use std::process;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use wgpu::{DeviceType, Features};

use crate::adapter::{AdapterInfo, AdapterKind, Limits};
use crate::error::{Error, Result};

/// Returns the instance of this process, which is never closed. A driver takes some time to make
/// one, and NVIDIA's crashed once when several threads made and closed instances of their own.
///
/// It has no validation layers, and not wgpu's check of indirect dispatches, which takes an
/// additional dispatch each time. Kernels of this crate write sizes of dispatches that are bounded
/// by the sizes that they started with.
fn instance() -> &'static wgpu::Instance {
    static INSTANCE: OnceLock<wgpu::Instance> = OnceLock::new();
    INSTANCE.get_or_init(|| {
        let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
        descriptor.flags = wgpu::InstanceFlags::empty();
        wgpu::Instance::new(descriptor)
    })
}

/// The process that has begun to use a driver, or 0.
static USER: AtomicU32 = AtomicU32::new(0);

/// Checks that drivers work in this process.
fn check_process() -> Result<()> {
    let own = process::id();
    match USER.compare_exchange(0, own, Ordering::Relaxed, Ordering::Relaxed) {
        Err(user) if user != own => Err(Error::Forked),
        Ok(_) | Err(_) => Ok(()),
    }
}

/// Returns all adapters with their descriptions, best first.
///
/// # Errors
/// [`Error::Forked`].
pub(super) fn enumerate() -> Result<Vec<(wgpu::Adapter, AdapterInfo)>> {
    check_process()?;
    let found = pollster::block_on(instance().enumerate_adapters(wgpu::Backends::all()));
    let mut all: Vec<_> = found
        .into_iter()
        .map(|adapter| (describe(&adapter), adapter))
        .collect();
    all.sort_by_key(|(info, _)| info.kind);
    let all = all.into_iter().map(|(info, adapter)| (adapter, info));
    Ok(all.collect())
}

/// Returns the descriptions of all adapters, best first. There are none if drivers do not work in
/// this process.
pub(crate) fn adapters() -> Vec<AdapterInfo> {
    let all = enumerate().unwrap_or_default().into_iter();
    all.map(|(_, info)| info).collect()
}

/// Describes an adapter that need not be open.
fn describe(adapter: &wgpu::Adapter) -> AdapterInfo {
    let (info, limits, features) = (adapter.get_info(), adapter.limits(), adapter.features());
    AdapterInfo {
        name: info.name,
        backend: info.backend.to_string(),
        driver: format!("{} {}", info.driver, info.driver_info)
            .trim()
            .to_owned(),
        kind: match info.device_type {
            DeviceType::DiscreteGpu => AdapterKind::Discrete,
            DeviceType::IntegratedGpu => AdapterKind::Integrated,
            DeviceType::VirtualGpu => AdapterKind::Virtual,
            DeviceType::Cpu => AdapterKind::Software,
            DeviceType::Other => AdapterKind::Other,
        },
        subgroup_sizes: (info.subgroup_min_size, info.subgroup_max_size),
        subgroups: features.contains(Features::SUBGROUP),
        timestamps: features.contains(Features::TIMESTAMP_QUERY),
        limits: limits_of(&limits),
    }
}

/// Selects the limits that determine what fits from those of wgpu.
pub(super) fn limits_of(limits: &wgpu::Limits) -> Limits {
    Limits {
        max_binding_bytes: limits.max_storage_buffer_binding_size,
        max_buffer_bytes: limits.max_buffer_size,
        max_bindings: limits.max_storage_buffers_per_shader_stage,
        max_workgroups: limits.max_compute_workgroups_per_dimension,
        max_invocations: limits.max_compute_invocations_per_workgroup,
        max_workgroup_bytes: limits.max_compute_workgroup_storage_size,
        max_params_bytes: u32::try_from(limits.max_uniform_buffer_binding_size).unwrap_or(u32::MAX),
    }
}

/// Returns the limits of an adapter, lowered to `most`.
pub(super) fn lowered(mut limits: wgpu::Limits, most: Option<&Limits>) -> wgpu::Limits {
    let Some(most) = most else { return limits };
    let lower = |limit: &mut u32, most: u32| *limit = (*limit).min(most);
    lower(
        &mut limits.max_storage_buffers_per_shader_stage,
        most.max_bindings,
    );
    lower(
        &mut limits.max_compute_workgroups_per_dimension,
        most.max_workgroups,
    );
    lower(
        &mut limits.max_compute_invocations_per_workgroup,
        most.max_invocations,
    );
    lower(
        &mut limits.max_compute_workgroup_storage_size,
        most.max_workgroup_bytes,
    );
    let lower = |limit: &mut u64, most: u64| *limit = (*limit).min(most);
    lower(
        &mut limits.max_storage_buffer_binding_size,
        most.max_binding_bytes,
    );
    lower(
        &mut limits.max_uniform_buffer_binding_size,
        most.max_params_bytes.into(),
    );
    lower(&mut limits.max_buffer_size, most.max_buffer_bytes);
    limits
}
