//! The interface between the front of this crate and a device that runs recordings.
//!
//! wgpu implements this interface. An interpreter that runs the same WGSL step by step can replace
//! it.

use std::sync::Arc;

use crate::adapter::AdapterInfo;
use crate::buffer::{BufferId, DeviceMemory};
use crate::control::Control;
use crate::error::Result;
use crate::outcome::Outcome;
use crate::recording::Recording;

/// A device, or something that acts as one.
///
/// The front, [`Gpu`](crate::Gpu), has checked sizes, ranges, bindings and limits before it calls.
pub trait Executor: DeviceMemory {
    /// What runs the kernels. Its limits are those in force.
    fn info(&self) -> &AdapterInfo;

    /// Allocates `bytes`, a multiple of 4, of zeros under `id`. `clear_now`: the zeros are written
    /// now, not at the first use, so that this time falls into no measurement; without it, the
    /// buffer is about to be overwritten anyway.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory); and, as for every operation, a lost
    /// device or an error in validation.
    fn create(&self, id: BufferId, name: &str, bytes: u64, clear_now: bool) -> Result<()>;

    /// Writes `data` to the bytes from `at` on. Returns when `data` may be dropped; recordings that
    /// run later see it.
    ///
    /// # Errors
    ///
    /// A lost device, or no memory for the transfer.
    fn upload(&self, to: BufferId, at: u64, data: &[u8]) -> Result<()>;

    /// Reads the bytes from `at` on, after everything that was run before.
    ///
    /// # Errors
    ///
    /// A lost device, or no memory for the transfer.
    fn download(&self, from: BufferId, at: u64, data: &mut [u8]) -> Result<()>;

    /// Another executor on the same device, which shares the kernels that are compiled: what one
    /// of them runs does not wait for the other, but on the device. `None` if there can be none.
    ///
    /// # Errors
    ///
    /// A lost device, or no memory.
    fn beside(&self) -> Result<Option<Arc<dyn Executor>>> {
        Ok(None)
    }

    /// Loses the device: everything fails from then on.
    fn lose(&self);

    /// Runs `recording` to its end. What was submitted beyond a loop's end, and does nothing, may
    /// still be under way.
    ///
    /// # Errors
    ///
    /// What is wrong with a kernel, with its name; [`Error::LoopLimit`](crate::Error::LoopLimit),
    /// [`Error::Cancelled`](crate::Error::Cancelled); a lost device.
    fn run(&self, recording: &Recording, control: &mut Control<'_>) -> Result<Outcome>;
}
