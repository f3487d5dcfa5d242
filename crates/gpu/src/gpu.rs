//! The front of this crate: opens a device, makes buffers, and runs recordings. All checks that
//! need no device are made here.

use std::ops::Range;
use std::sync::Arc;

use bytemuck::Pod;

use crate::adapter::{AdapterInfo, Limits, Request};
use crate::buffer::{AnyBuffer, Buffer, BufferId};
use crate::error::{Error, Result};
use crate::executor::{Executor, Zeroing};
use crate::host_memory;
use crate::outcome::Outcome;
use crate::recording::Recording;
use crate::repeat::Repeated;
use crate::run_options::RunOptions;
use crate::step::{Dispatch, Step};
use crate::wgpu_executor::{self, WgpuExecutor};

/// Returns the adapters of this machine, best first.
#[must_use]
pub fn adapters() -> Vec<AdapterInfo> {
    wgpu_executor::adapters()
}

/// An open device. Clones share it.
#[derive(Clone)]
pub struct Gpu {
    executor: Arc<dyn Executor>,
}

impl std::fmt::Debug for Gpu {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Gpu({})", self.info())
    }
}

impl Gpu {
    /// Opens the adapter that serves `request` best, with the adapter's own limits.
    ///
    /// # Errors
    ///
    /// [`Error::NoAdapter`]; [`Error::Forked`]; [`Error::DeviceLost`] if the adapter does not open.
    pub fn open(request: &Request) -> Result<Self> {
        Ok(Self::on(Arc::new(WgpuExecutor::open(request)?)))
    }

    /// Uses this executor, which runs the same kernels.
    #[must_use]
    pub fn on(executor: Arc<dyn Executor>) -> Self {
        Self { executor }
    }

    /// Opens the same device for another thread. The runs of the two do not wait for each other,
    /// and they share the compiled kernels. A buffer belongs to only one of them. Returns `None` if
    /// the device cannot be shared.
    ///
    /// # Errors
    ///
    /// The device is lost, or there is no memory.
    pub fn beside(&self) -> Result<Option<Self>> {
        Ok(self.executor.beside()?.map(Self::on))
    }

    /// Returns the executor, for executors that wrap another one.
    #[must_use]
    pub fn executor(&self) -> &Arc<dyn Executor> {
        &self.executor
    }

    /// Returns the adapter that was opened.
    #[must_use]
    pub fn info(&self) -> &AdapterInfo {
        self.executor.info()
    }

    /// Returns the limits in force.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        &self.info().limits
    }

    /// Makes a buffer of `len` zeros. The command that writes them is submitted before this
    /// returns.
    ///
    /// # Errors
    ///
    /// [`Error::LimitExceeded`], before memory is allocated; [`Error::OutOfMemory`].
    pub fn zeroed<T: Pod>(&self, name: &str, len: u64) -> Result<Buffer<T>> {
        self.create(name, len, Zeroing::Now)
    }

    /// Makes a buffer that contains `data`.
    ///
    /// # Errors
    ///
    /// As [`zeroed`](Self::zeroed).
    pub fn upload<T: Pod>(&self, name: &str, data: &[T]) -> Result<Buffer<T>> {
        let zeroing = match data.is_empty() {
            true => Zeroing::Now,
            false => Zeroing::AtFirstUse,
        };
        let buffer = self.create(name, data.len() as u64, zeroing)?;
        self.write(&buffer, 0, data)?;
        Ok(buffer)
    }

    /// Overwrites the elements from `at` on.
    ///
    /// # Errors
    ///
    /// [`Error::Validation`] if the buffer has fewer elements; a lost device.
    pub fn write<T: Pod>(&self, to: &Buffer<T>, at: u64, data: &[T]) -> Result<()> {
        self.owns(to.any())?;
        let bytes = to.bytes_of(&(at..at.saturating_add(data.len() as u64)))?;
        match bytes.is_empty() {
            true => Ok(()),
            false => self
                .executor
                .upload(to.any().id(), bytes.start, bytemuck::cast_slice(data)),
        }
    }

    /// Reads all elements, after everything that was run before.
    ///
    /// # Errors
    ///
    /// A lost device.
    pub fn read<T: Pod>(&self, from: &Buffer<T>) -> Result<Vec<T>> {
        self.read_range(from, 0..from.len())
    }

    /// Reads the elements of `range`, after everything that was run before.
    ///
    /// # Errors
    ///
    /// [`Error::Validation`] if the buffer has fewer elements; a lost device.
    pub fn read_range<T: Pod>(&self, from: &Buffer<T>, range: Range<u64>) -> Result<Vec<T>> {
        self.owns(from.any())?;
        let bytes = from.bytes_of(&range)?;
        let mut data = host_memory::zeros(from.name(), (range.end - range.start) as usize)?;
        if !data.is_empty() {
            self.executor.download(
                from.any().id(),
                bytes.start,
                bytemuck::cast_slice_mut(&mut data),
            )?;
        }
        Ok(data)
    }

    /// Reads the element at `index`, after everything that was run before.
    ///
    /// # Errors
    ///
    /// As [`read_range`](Self::read_range).
    pub fn read_one<T: Pod>(&self, from: &Buffer<T>, index: u64) -> Result<T> {
        let found = self.read_range(from, index..index.saturating_add(1))?;
        Ok(found[0])
    }

    /// Runs `recording` to its end.
    ///
    /// # Errors
    ///
    /// An error in the recording; [`Error::Validation`], [`Error::Unsupported`] or
    /// [`Error::LimitExceeded`] with the name of a kernel; [`Error::LimitExceeded`] with that of a
    /// loop; [`Error::LoopLimit`]; [`Error::DeviceLost`].
    pub fn run(&self, recording: &Recording) -> Result<Outcome> {
        self.run_with(recording, &mut RunOptions::default())
    }

    /// Runs `recording` to its end, with an observer, or with timed passes.
    ///
    /// # Errors
    ///
    /// As [`run`](Self::run); [`Error::Cancelled`] if the observer cancels the run.
    pub fn run_with(&self, recording: &Recording, options: &mut RunOptions<'_>) -> Result<Outcome> {
        self.check(recording)?;
        self.executor.run(recording, options)
    }

    /// Loses the device, as if the driver had reset it. From then on, every call fails with
    /// [`Error::DeviceLost`], including calls in progress. This is for tests of programs that
    /// handle this error.
    pub fn lose(&self) {
        self.executor.lose();
    }

    fn create<T: Pod>(&self, name: &str, len: u64, zeroing: Zeroing) -> Result<Buffer<T>> {
        let Limits {
            max_binding_bytes,
            max_buffer_bytes,
            ..
        } = *self.limits();
        let available = max_binding_bytes.min(max_buffer_bytes);
        // A binding cannot be empty, so an empty buffer has one element, which is not read.
        let needed = len.max(1).saturating_mul(Buffer::<T>::ELEMENT);
        if needed > available {
            let what = format!("the buffer `{name}` (bytes)");
            return Err(Error::LimitExceeded {
                what,
                needed,
                available,
            });
        }
        let id = BufferId::fresh();
        self.executor.create(id, name, needed, zeroing)?;
        Ok(Buffer::new(id, name, len, needed, self.executor.clone()))
    }

    fn owns(&self, buffer: &AnyBuffer) -> Result<()> {
        match buffer.lives_on(&self.executor) {
            true => Ok(()),
            false => Err(Error::validation(buffer.name(), "lives on another device")),
        }
    }

    fn check(&self, recording: &Recording) -> Result<()> {
        if let Some(error) = &recording.error {
            return Err(error.clone());
        }
        let mut buffers = recording.buffers();
        buffers.try_for_each(|buffer| self.owns(buffer))?;
        let mut steps = recording.steps.iter();
        steps.try_for_each(|step| self.check_groups(step))
    }

    /// Checks the numbers of workgroups that the host sets. wgpu does not see those of a loop: they
    /// are in a record on the device; if they are too large, a driver may do anything.
    fn check_groups(&self, step: &Step) -> Result<()> {
        match step {
            Step::Dispatch(Dispatch { call, groups }) => {
                self.allows(groups, || format!("the kernel `{}`", call.kernel.label()))
            }
            Step::Repeat(Repeated {
                name,
                start,
                options,
                ..
            }) => [start, &options.fresh]
                .into_iter()
                .try_for_each(|groups| self.allows(groups, || format!("the loop `{name}`"))),
            _ => Ok(()),
        }
    }

    /// Checks a number of workgroups, which `what` needs.
    fn allows(&self, groups: &[u32; 3], what: impl FnOnce() -> String) -> Result<()> {
        let available = self.limits().max_workgroups;
        match groups.iter().find(|&&groups| groups > available) {
            None => Ok(()),
            Some(&needed) => Err(Error::LimitExceeded {
                what: format!("{} (workgroups in one dimension)", what()),
                needed: needed.into(),
                available: available.into(),
            }),
        }
    }
}
