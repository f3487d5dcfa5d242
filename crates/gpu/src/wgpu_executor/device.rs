//! The open device: waits for it, reads the data that it has written, and returns errors as values.

use std::ops::Range;
use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use bytemuck::Pod;
use wgpu::{ErrorFilter, Features};

use super::adapters::{enumerate, limits_of, lowered};
use super::robust;
use super::sync::Turn;
use crate::adapter::{AdapterInfo, AdapterKind, Request};
use crate::error::{Error, Result};

/// The time for which a wait polls before it sleeps. Waking a thread takes some tens of
/// microseconds, and a small search waits several times within two milliseconds.
const AWAKE: Duration = Duration::from_millis(2);

/// The sizes of the blocks that wgpu allocates for small buffers, in bytes. With wgpu's default,
/// 128 MB and more, the driver takes longer to allocate and to free them: 7 to 44 ms of a whole
/// command.
const BLOCKS: Range<u64> = 16 << 20..64 << 20;

/// The time for which the host waits for a submission before it considers the device hung. A
/// submission should take less than a second (`pace.rs`), and at most a few others wait before it.
const PATIENCE: Duration = Duration::from_secs(60);

/// As [`PATIENCE`], for kernels that run on the processor, which other programs may use, too.
const SOFTWARE_PATIENCE: Duration = Duration::from_secs(30 * 60);

/// Returns the message of a panic.
fn message_of(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    text.unwrap_or("the driver's interface panicked").to_owned()
}

/// The errors that wgpu reports from its own threads, until they are asked for.
#[derive(Default)]
struct Faults {
    lost: Mutex<Option<String>>,
    uncaptured: Mutex<Option<String>>,
}

/// Keeps a message, unless there is an earlier one.
fn note(place: &Mutex<Option<String>>, message: String) {
    place
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .get_or_insert(message);
}

/// Returns the message that was kept.
fn noted(place: &Mutex<Option<String>>) -> Option<String> {
    place.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// The memory that an act on the device needs, in bytes. An error about it contains both numbers.
#[derive(Clone, Copy, Default)]
pub(super) struct Demand {
    /// The bytes that the act needs; 0 if it is not known to need any.
    pub(super) needed: u64,
    /// The bytes of the buffers that exist already; 0 if these do not matter.
    pub(super) in_use: u64,
}

impl Demand {
    /// Makes a demand for which it does not matter what is in use.
    pub(super) fn of(needed: u64) -> Self {
        Self { needed, in_use: 0 }
    }
}

/// wgpu's device and queue, with errors as values.
pub(super) struct Device {
    pub(super) raw: wgpu::Device,
    pub(super) queue: wgpu::Queue,
    pub(super) info: AdapterInfo,
    /// Whether all kernels are checked as they run.
    pub(super) checks: bool,
    /// The maximum time of a wait.
    pub(super) patience: Duration,
    faults: Arc<Faults>,
    /// The turn to close the device. It is dropped after the handles above, so it has to be the
    /// last field.
    closing: Option<Turn>,
}

impl Drop for Device {
    fn drop(&mut self) {
        self.closing = Some(Turn::take());
    }
}

impl Device {
    /// Opens the adapter that serves `request` best.
    pub(super) fn open(request: &Request) -> Result<Self> {
        let _opening = Turn::take();
        let mut all = enumerate()?;
        let infos: Vec<AdapterInfo> = all.iter().map(|(_, info)| info.clone()).collect();
        let (adapter, mut info) = all.swap_remove(request.choose(&infos)?);
        let descriptor = wgpu::DeviceDescriptor {
            label: None,
            required_features: adapter.features()
                & (Features::SUBGROUP | Features::TIMESTAMP_QUERY),
            required_limits: lowered(adapter.limits(), request.at_most.as_ref()),
            experimental_features: wgpu::ExperimentalFeatures::disabled(),
            memory_hints: wgpu::MemoryHints::Manual {
                suballocated_device_memory_block_size: BLOCKS,
            },
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
        let (checks, why) = robust::checks(request.checks, robust::robustness(&adapter));
        tracing::debug!(adapter = %info, "opened");
        tracing::debug!(all_kernels_are_checked = checks, why);
        Ok(Self {
            raw,
            queue,
            patience: match info.kind {
                AdapterKind::Software => SOFTWARE_PATIENCE,
                _ => PATIENCE,
            },
            info,
            checks,
            faults,
            closing: None,
        })
    }

    /// Calls `act`, and turns errors that wgpu raises meanwhile into an error about `what`.
    pub(super) fn guarded<R>(&self, what: &str, act: impl FnOnce() -> R) -> Result<R> {
        self.allocating(what, Demand::default(), act)
    }

    /// Calls `act`, which needs memory, and turns errors that wgpu raises meanwhile into an error
    /// about `what`. If there is no memory, the error contains `demand`.
    pub(super) fn allocating<R>(
        &self,
        what: &str,
        demand: Demand,
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
            self.wait_for_loss();
        }
        self.alive()?;
        if exhausted.is_some() {
            return Err(Error::OutOfMemory {
                what: what.to_owned(),
                needed: demand.needed,
                in_use: demand.in_use,
            });
        }
        match failed {
            Some(error) => Err(Error::validation(what, error.to_string())),
            None => Ok(result),
        }
    }

    /// Returns an error if the device is lost, or if wgpu has reported an error outside of
    /// [`allocating`](Self::allocating).
    pub(super) fn alive(&self) -> Result<()> {
        let uncaptured = noted(&self.faults.uncaptured);
        if uncaptured.is_some() {
            self.wait_for_loss();
        }
        if let Some(reason) = noted(&self.faults.lost) {
            return Err(Error::DeviceLost { reason });
        }
        match uncaptured {
            Some(message) => Err(Error::validation("the device", message)),
            None => Ok(()),
        }
    }

    /// Gives the device time to report that it is lost, which it does once it is idle. A loss
    /// explains all other errors.
    fn wait_for_loss(&self) {
        let timeout = Some(Duration::from_secs(2));
        let _ = self.raw.poll(wgpu::PollType::Wait {
            submission_index: None,
            timeout,
        });
    }

    /// Waits until the host may read `staging`, which is filled by `submission` or an earlier
    /// submission. Without `submission`, this may wait for everything that was submitted. It polls
    /// for a while before it sleeps. (wgpu's waits with a short timeout are no alternative: they
    /// panic if another thread has noticed the end a moment before.)
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

    /// Waits until `submission` is done and its callbacks have been called. Without `submission`,
    /// waits for everything that was submitted.
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

    /// Polls the device. wgpu panics if the driver reports meanwhile that the device is lost. This
    /// function returns an error instead.
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

    /// Returns the error of a device that does not answer. Nothing waits for this device again, not
    /// even to close it.
    fn give_up(&self) -> Error {
        let reason = format!(
            "a submission was not done within {} seconds",
            self.patience.as_secs_f32()
        );
        note(&self.faults.lost, reason.clone());
        // Dropping the last handle of a queue would wait for the hung submission.
        std::mem::forget((self.raw.clone(), self.queue.clone()));
        Error::DeviceLost { reason }
    }

    /// Loses the device, as if the driver had reset it.
    pub(super) fn lose(&self) {
        self.raw.destroy();
    }

    /// Makes an encoder.
    pub(super) fn encoder(&self) -> wgpu::CommandEncoder {
        self.raw
            .create_command_encoder(&wgpu::CommandEncoderDescriptor::default())
    }

    /// Waits for a staging buffer to be filled. Returns its first `count` elements.
    pub(super) fn read_back<T: Pod>(&self, staging: &wgpu::Buffer, count: u64) -> Result<Vec<T>> {
        self.map(staging, None)?;
        take_mapped(staging, count)
    }

    /// Makes a buffer for the executor itself, such as for staging, records or parameters.
    pub(super) fn buffer(
        &self,
        label: &str,
        size: u64,
        usage: wgpu::BufferUsages,
    ) -> Result<wgpu::Buffer> {
        self.allocating(label, Demand::of(size), || {
            self.raw.create_buffer(&wgpu::BufferDescriptor {
                label: Some(label),
                size,
                usage,
                mapped_at_creation: false,
            })
        })
    }
}

/// Returns the first `count` elements of a staging buffer that has been mapped, and unmaps it.
pub(super) fn take_mapped<T: Pod>(staging: &wgpu::Buffer, count: u64) -> Result<Vec<T>> {
    let lost = |error: wgpu::MapRangeError| Error::DeviceLost {
        reason: error.to_string(),
    };
    let view = staging
        .get_mapped_range(..count * size_of::<T>() as u64)
        .map_err(lost)?;
    let data = bytemuck::pod_collect_to_vec(&view);
    drop(view);
    staging.unmap();
    Ok(data)
}
