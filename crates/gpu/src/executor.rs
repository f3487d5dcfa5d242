//! The interface between the front of this crate and a device that runs recordings.
//!
//! wgpu implements this interface. An interpreter that runs the same WGSL step by step can
//! implement it, too.

use std::sync::Arc;

use crate::adapter::AdapterInfo;
use crate::buffer::{BufferId, DeviceMemory};
use crate::error::Result;
use crate::outcome::Outcome;
use crate::recording::Recording;
use crate::run_options::RunOptions;

/// When the zeros of a new buffer are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Zeroing {
    /// When the buffer is made, so that no measurement of a later run includes this time.
    Now,
    /// Before the first use. The caller is about to overwrite the buffer, so usually never.
    AtFirstUse,
}

/// A device, or something that acts as one.
///
/// The front, [`Gpu`](crate::Gpu), checks sizes, ranges, bindings and limits before it calls an
/// executor.
pub trait Executor: DeviceMemory {
    /// Returns the adapter that runs the kernels. Its limits are those in force.
    fn info(&self) -> &AdapterInfo;

    /// Allocates `bytes` zeros under `id`; `bytes` is a multiple of 4.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory). Like every operation, this also fails if
    /// the device is lost or if validation fails.
    fn create(&self, id: BufferId, name: &str, bytes: u64, zeroing: Zeroing) -> Result<()>;

    /// Writes `data` to the buffer, from byte `at` on. When this returns, `data` may be dropped.
    /// Recordings that run later see the data.
    ///
    /// # Errors
    ///
    /// The device is lost, or there is no memory for the transfer.
    fn upload(&self, to: BufferId, at: u64, data: &[u8]) -> Result<()>;

    /// Reads bytes of the buffer into `data`, from byte `at` on, after everything that was run
    /// before.
    ///
    /// # Errors
    ///
    /// The device is lost, or there is no memory for the transfer.
    fn download(&self, from: BufferId, at: u64, data: &mut [u8]) -> Result<()>;

    /// Returns another executor on the same device, which shares the compiled kernels. The runs of
    /// the two executors do not wait for each other, except on the device. Returns `None` if the
    /// device cannot be shared.
    ///
    /// # Errors
    ///
    /// The device is lost, or there is no memory.
    fn beside(&self) -> Result<Option<Arc<dyn Executor>>> {
        Ok(None)
    }

    /// Loses the device. From then on, all operations fail.
    fn lose(&self);

    /// Runs `recording` to its end. Iterations that were submitted beyond the end of a loop do
    /// nothing, and may still be in progress when this returns.
    ///
    /// # Errors
    ///
    /// An error in a kernel, with the name of the kernel;
    /// [`Error::LoopLimit`](crate::Error::LoopLimit);
    /// [`Error::Cancelled`](crate::Error::Cancelled); a lost device.
    fn run(&self, recording: &Recording, options: &mut RunOptions<'_>) -> Result<Outcome>;
}
