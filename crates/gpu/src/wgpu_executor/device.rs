//! The open device: adapters, limits, waiting, and the errors of everything wgpu does for us.

use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use wgpu::{DeviceType, ErrorFilter, Features};

use super::robust;
use crate::adapter::{AdapterInfo, AdapterKind, Limits, Request};
use crate::{Error, Result};

/// How long a wait stays awake. To be woken takes some tens of microseconds, and a small search waits several times
/// within two milliseconds.
const AWAKE: Duration = Duration::from_millis(2);

/// How long the host waits for a submission, before it takes the device for hung. Loops are paced so that a
/// submission takes less than a second (`pace.rs`); behind one there are a few others at most.
const PATIENCE: Duration = Duration::from_secs(60);

/// The same where kernels run on the processor, which others may use too.
const SOFTWARE_PATIENCE: Duration = Duration::from_secs(30 * 60);

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
        limits: limits_of(&limits),
    }
}

fn limits_of(limits: &wgpu::Limits) -> Limits {
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

/// An adapter's limits, of which no more than `most` is asked for.
fn lowered(mut limits: wgpu::Limits, most: Option<&Limits>) -> wgpu::Limits {
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

/// What a panic says.
fn message_of(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    text.unwrap_or("the driver's interface panicked").to_owned()
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
    /// How long a wait may take.
    patience: Duration,
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
            required_limits: lowered(adapter.limits(), request.at_most.as_ref()),
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
        info.limits = limits_of(&raw.limits());
        if let Some(bytes) = request.max_binding_bytes {
            info.limits.max_binding_bytes = info.limits.max_binding_bytes.min(bytes);
        }
        let (checks, why) = robust::checks(request.checks, robust::robustness(&adapter));
        tracing::debug!(adapter = %info, "opened");
        tracing::debug!(all_kernels_are_checked = checks, why);
        Ok(Self {
            raw,
            queue,
            patience: request.patience.unwrap_or(match info.kind {
                AdapterKind::Software => SOFTWARE_PATIENCE,
                _ => PATIENCE,
            }),
            info,
            checks,
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
            timeout: Some(self.patience),
        })
    }

    /// Calls the callbacks that are due.
    pub(super) fn poll_now(&self) -> Result<()> {
        self.poll(wgpu::PollType::Poll)
    }

    /// Polls. wgpu panics if the driver says meanwhile that the device is lost: that is an error here.
    fn poll(&self, how: wgpu::PollType) -> Result<()> {
        let polled = panic::catch_unwind(AssertUnwindSafe(|| self.raw.poll(how)));
        self.alive()?;
        match polled {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(wgpu::PollError::Timeout)) => Err(self.give_up()),
            Ok(Err(error)) => Err(Error::DeviceLost {
                reason: error.to_string(),
            }),
            Err(panic) => Err(Error::DeviceLost {
                reason: message_of(&*panic),
            }),
        }
    }

    /// The device does not answer. Nobody waits for it again: not even to close it.
    fn give_up(&self) -> Error {
        let reason = format!(
            "a submission was not done within {} seconds",
            self.patience.as_secs_f32()
        );
        note(&self.faults.lost, reason.clone());
        // Dropping the last handle of a queue would wait for what hangs.
        std::mem::forget((self.raw.clone(), self.queue.clone()));
        Error::DeviceLost { reason }
    }

    /// Loses the device, as a driver would that resets it.
    pub(super) fn lose(&self) {
        self.raw.destroy();
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
