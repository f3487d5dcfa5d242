//! What can run recordings: the seam between the front of this crate and a device.
//!
//! Behind it stands wgpu; an interpreter that runs the same WGSL step by step can take its place.

use crate::Result;
use crate::adapter::AdapterInfo;
use crate::buffer::BufferId;
use crate::outcome::{Control, Outcome};
use crate::recording::Recording;

/// A device, or something that acts as one.
///
/// The front, [`Gpu`](crate::Gpu), has checked sizes, ranges, bindings and limits before it calls.
pub trait Executor: Send + Sync {
    /// What runs the kernels. Its limits are those in force.
    fn info(&self) -> &AdapterInfo;

    /// Takes `bytes`, a multiple of 4, of zeros under `id`. `settle`: zero them now, not at their first
    /// use, so that it falls into no timing; without it they are about to be overwritten anyway.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory), and what every operation may fail with: a lost device, an error in validation.
    fn create(&self, id: BufferId, name: &str, bytes: u64, settle: bool) -> Result<()>;

    /// Gives the memory of `id` back.
    fn destroy(&self, id: BufferId);

    /// Writes `data` to the bytes from `at` on. Returns when `data` may be dropped; recordings that run
    /// later see it.
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

    /// Does what a run of `recording` would do first and once: compiles its kernels.
    ///
    /// # Errors
    ///
    /// [`Error::Validation`](crate::Error::Validation) or [`Error::Unsupported`](crate::Error::Unsupported) with the kernel's name.
    fn prepare(&self, recording: &Recording) -> Result<()>;

    /// Loses the device: everything fails from then on.
    fn lose(&self);

    /// Runs `recording` to its end. What was submitted beyond a loop's end, and does nothing, may still be under way.
    ///
    /// # Errors
    ///
    /// As [`prepare`](Self::prepare); [`Error::LoopLimit`](crate::Error::LoopLimit), [`Error::Cancelled`](crate::Error::Cancelled); a lost device.
    fn run(&self, recording: &Recording, control: &mut Control<'_>) -> Result<Outcome>;
}
