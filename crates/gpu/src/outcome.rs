//! The outcome of a run: the outcomes of its loops, the data of reads, and times.

use std::ops::Index;

use bytemuck::Pod;

use crate::handle::{LoopHandle, ReadHandle};
use crate::record::LoopRecord;

/// The outcome of a loop.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LoopOutcome {
    /// The number of iterations that ran with workgroups.
    pub iterations: u64,
    /// The record that ended the loop. It shows which of the counts were zero, and has the kernels'
    /// words.
    pub last: LoopRecord,
}

/// The time of all dispatches of one kernel variant, on the device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassTime {
    /// The kernel with its variant.
    pub name: String,
    /// The number of dispatches, including those without workgroups after the end of a loop.
    pub calls: u64,
    /// The total time of these dispatches, in nanoseconds.
    pub nanoseconds: u64,
}

/// The time of a dispatch, on the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DispatchTime {
    /// The kernel's name, without its variant.
    pub kernel: &'static str,
    /// The time from its beginning to its end, in nanoseconds.
    pub nanoseconds: u64,
}

/// The results of a run.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// The outcome of each [`Recording::repeat`](crate::Recording::repeat), in order.
    pub loops: Vec<LoopOutcome>,
    /// The bytes of each [`Recording::read`](crate::Recording::read), in order.
    pub reads: Vec<Vec<u8>>,
    /// The number of submissions to the device.
    pub submissions: u64,
    /// The times of each kernel, if they were requested and the adapter has timestamps.
    pub times: Vec<PassTime>,
    /// The times of all dispatches in the order in which they ran, if they were requested and the
    /// adapter has timestamps. This includes dispatches without workgroups after the end of a loop.
    pub dispatch_times: Vec<DispatchTime>,
}

impl Outcome {
    /// Returns the data that were read for `handle`.
    ///
    /// # Panics
    ///
    /// May panic if the handle belongs to another recording.
    #[must_use]
    pub fn get<T: Pod>(&self, handle: ReadHandle<T>) -> Vec<T> {
        bytemuck::pod_collect_to_vec(&self.reads[handle.index])
    }
}

impl Index<LoopHandle> for Outcome {
    type Output = LoopOutcome;

    /// Returns the outcome of the loop of `handle`.
    ///
    /// # Panics
    ///
    /// May panic if the handle belongs to another recording.
    fn index(&self, handle: LoopHandle) -> &LoopOutcome {
        &self.loops[handle.0]
    }
}
