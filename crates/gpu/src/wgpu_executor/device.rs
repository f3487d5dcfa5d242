//! The open device: adapters, limits, waiting, and the errors of everything wgpu does for us.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use wgpu::{DeviceType, ErrorFilter, Features};

use crate::adapter::{AdapterInfo, AdapterKind, Limits, Request};
use crate::{Error, Result};

/// How long a wait stays awake. To be woken takes some tens of microseconds, and a small search waits several times
/// within two milliseconds.
const AWAKE: Duration = Duration::from_millis(2);

/// An instance without validation layers, and without wgpu's own check of indirect dispatches, which costs
/// a dispatch more each time; what our kernels write there is bounded by what they were started with.
fn instance() -> wgpu::Instance {
    let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
    descriptor.flags = wgpu::InstanceFlags::empty();
    wgpu::Instance::new(descriptor)
}

/// All adapters with their descriptions, best first.
fn enumerate() -> Vec<(wgpu::Adapter, AdapterInfo)> {
    let found = pollster::block_on(instance().enumerate_adapters(wgpu::Backends::all()));
    let mut all: Vec<_> = found
        .into_iter()
        .map(|adapter| (describe(&adapter), adapter))
        .collect();
    all.sort_by_key(|(info, _)| info.kind);
    all.into_iter()
        .map(|(info, adapter)| (adapter, info))
        .collect()
}

/// The descriptions of all adapters, best first.
pub(crate) fn adapters() -> Vec<AdapterInfo> {
    enumerate().into_iter().map(|(_, info)| info).collect()
}

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
        limits: Limits {
            max_binding_bytes: limits.max_storage_buffer_binding_size,
            max_buffer_bytes: limits.max_buffer_size,
            max_bindings: limits.max_storage_buffers_per_shader_stage,
            max_workgroups: limits.max_compute_workgroups_per_dimension,
            max_invocations: limits.max_compute_invocations_per_workgroup,
            max_workgroup_bytes: limits.max_compute_workgroup_storage_size,
        },
    }
}

/// What wgpu reports from its own threads, until someone asks.
#[derive(Default)]
struct Faults {
    lost: Mutex<Option<String>>,
    uncaptured: Mutex<Option<String>>,
}

fn note(place: &Mutex<Option<String>>, message: String) {
    place
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .get_or_insert(message);
}

fn noted(place: &Mutex<Option<String>>) -> Option<String> {
    place.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// wgpu's device and queue, with errors as values.
pub(super) struct Device {
    pub(super) raw: wgpu::Device,
    pub(super) queue: wgpu::Queue,
    pub(super) info: AdapterInfo,
    /// Whether all kernels are checked as they run.
    pub(super) checks: bool,
    faults: Arc<Faults>,
}

impl Device {
    /// Opens the adapter that serves `request` best, with the limits it has.
    pub(super) fn open(request: &Request) -> Result<Self> {
        let mut all = enumerate();
        let infos: Vec<AdapterInfo> = all.iter().map(|(_, info)| info.clone()).collect();
        let (adapter, mut info) = all.swap_remove(request.choose(&infos)?);
        let descriptor = wgpu::DeviceDescriptor {
            label: None,
            required_features: adapter.features()
                & (Features::SUBGROUP | Features::TIMESTAMP_QUERY),
            required_limits: adapter.limits(),
            experimental_features: wgpu::ExperimentalFeatures::disabled(),
            memory_hints: wgpu::MemoryHints::Performance,
            trace: wgpu::Trace::Off,
        };
        let (raw, queue) =
            pollster::block_on(adapter.request_device(&descriptor)).map_err(|error| {
                Error::DeviceLost {
                    reason: format!("{info} did not open: {error}"),
                }
            })?;

        let faults = Arc::new(Faults::default());
        let (lost, uncaptured) = (faults.clone(), faults.clone());
        raw.set_device_lost_callback(move |reason, message| {
            note(&lost.lost, format!("{reason:?}: {message}"));
        });
        raw.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
            note(&uncaptured.uncaptured, error.to_string());
        }));
        if let Some(bytes) = request.max_binding_bytes {
            info.limits.max_binding_bytes = info.limits.max_binding_bytes.min(bytes);
        }
        tracing::debug!(adapter = %info, "opened");
        Ok(Self {
            raw,
            queue,
            info,
            // Of Vulkan, wgpu asks that accesses to buffers stay within them, whatever a kernel does.
            checks: request.checks.unwrap_or(cfg!(debug_assertions))
                || adapter.get_info().backend != wgpu::Backend::Vulkan,
            faults,
        })
    }

    /// Does `act`, and turns what wgpu complains about meanwhile into an error about `what`. Running out
    /// of memory is reported with `memory`: the bytes needed, and those in use.
    pub(super) fn guarded<R>(
        &self,
        what: &str,
        memory: (u64, u64),
        act: impl FnOnce() -> R,
    ) -> Result<R> {
        let scope = |filter| self.raw.push_error_scope(filter);
        let (outer, middle, inner) = (
            scope(ErrorFilter::OutOfMemory),
            scope(ErrorFilter::Internal),
            scope(ErrorFilter::Validation),
        );
        let result = act();
        let validation = pollster::block_on(inner.pop());
        let internal = pollster::block_on(middle.pop());
        let exhausted = pollster::block_on(outer.pop());

        let failed = validation.or(internal);
        if failed.is_some() || exhausted.is_some() {
            // A lost device explains whatever else went wrong, and is reported once it is idle.
            let timeout = Some(Duration::from_secs(2));
            let _ = self.raw.poll(wgpu::PollType::Wait {
                submission_index: None,
                timeout,
            });
        }
        self.alive()?;
        if exhausted.is_some() {
            return Err(Error::OutOfMemory {
                what: what.to_owned(),
                needed: memory.0,
                in_use: memory.1,
            });
        }
        match failed {
            Some(error) => Err(Error::validation(what, error.to_string())),
            None => Ok(result),
        }
    }

    /// Fails if the device is gone, or something went wrong where no one listened.
    pub(super) fn alive(&self) -> Result<()> {
        if let Some(reason) = noted(&self.faults.lost) {
            return Err(Error::DeviceLost { reason });
        }
        match noted(&self.faults.uncaptured) {
            Some(message) => Err(Error::validation("the device", message)),
            None => Ok(()),
        }
    }

    /// Waits until the host may read `staging`, which `submission` fills, or one before it; or everything submitted.
    /// Asks again and again for a while, before it sleeps; by polling, as wgpu's waits with a timeout panic if another
    /// thread has noticed the end a moment before.
    pub(super) fn map(
        &self,
        staging: &wgpu::Buffer,
        submission: Option<wgpu::SubmissionIndex>,
    ) -> Result<()> {
        let is_mapped = Arc::new(AtomicBool::new(false));
        let mapped = is_mapped.clone();
        staging.map_async(wgpu::MapMode::Read, .., move |_| {
            mapped.store(true, Ordering::Release);
        });
        let begin = Instant::now();
        while begin.elapsed() < AWAKE {
            self.poll_now()?;
            if is_mapped.load(Ordering::Acquire) {
                return Ok(());
            }
            thread::yield_now();
        }
        self.wait(submission)
    }

    /// Waits until `submission` is done and its callbacks have been called; or everything submitted.
    pub(super) fn wait(&self, submission: Option<wgpu::SubmissionIndex>) -> Result<()> {
        self.poll(wgpu::PollType::Wait {
            submission_index: submission,
            timeout: None,
        })
    }

    /// Calls the callbacks that are due.
    pub(super) fn poll_now(&self) -> Result<()> {
        self.poll(wgpu::PollType::Poll)
    }

    fn poll(&self, how: wgpu::PollType) -> Result<()> {
        let polled = self.raw.poll(how);
        self.alive()?;
        polled.map(|_| ()).map_err(|error| Error::DeviceLost {
            reason: error.to_string(),
        })
    }

    /// A new encoder.
    pub(super) fn encoder(&self) -> wgpu::CommandEncoder {
        self.raw
            .create_command_encoder(&wgpu::CommandEncoderDescriptor::default())
    }

    /// A buffer of ours: for staging, records, parameters.
    pub(super) fn buffer(
        &self,
        label: &str,
        size: u64,
        usage: wgpu::BufferUsages,
    ) -> Result<wgpu::Buffer> {
        self.guarded(label, (size, 0), || {
            self.raw.create_buffer(&wgpu::BufferDescriptor {
                label: Some(label),
                size,
                usage,
                mapped_at_creation: false,
            })
        })
    }
}
