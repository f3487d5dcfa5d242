//! The outcome of a run: how its loops ended, the data that were read, and times.

use std::ops::Index;

use bytemuck::Pod;

use crate::handle::{LoopHandle, ReadHandle};
use crate::record::LoopRecord;

/// How a loop ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LoopOutcome {
    /// The iterations that ran with workgroups.
    pub iterations: u64,
    /// The record that ended it: which of the counts were zero, and the kernels' words.
    pub last: LoopRecord,
}

/// The time of all dispatches of one kernel variant, on the device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassTime {
    /// The kernel with its variant.
    pub name: String,
    /// The number of dispatches, including those without workgroups after a loop's end.
    pub calls: u64,
    /// Their sum.
    pub nanoseconds: u64,
}

/// The time of a dispatch, on the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DispatchTime {
    /// The kernel's name, without its variant.
    pub kernel: &'static str,
    /// From its beginning to its end.
    pub nanoseconds: u64,
}

/// What a run brings back.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// One for each [`Recording::repeat`](crate::Recording::repeat), in order.
    pub loops: Vec<LoopOutcome>,
    /// The bytes of each [`Recording::read`](crate::Recording::read), in order.
    pub reads: Vec<Vec<u8>>,
    /// How often commands were submitted to the device.
    pub submissions: u64,
    /// The times of each kernel, if they were asked for and the adapter has timestamps.
    pub times: Vec<PassTime>,
    /// Each dispatch, in the order in which they ran, including those without workgroups after a
    /// loop's end; if times were asked for and the adapter has timestamps.
    pub dispatch_times: Vec<DispatchTime>,
}

impl Outcome {
    /// The data that `handle` stands for.
    ///
    /// # Panics
    ///
    /// If the handle is of another recording.
    #[must_use]
    pub fn get<T: Pod>(&self, handle: ReadHandle<T>) -> Vec<T> {
        bytemuck::pod_collect_to_vec(&self.reads[handle.index])
    }
}

impl Index<LoopHandle> for Outcome {
    type Output = LoopOutcome;

    /// How the loop that `handle` stands for ended.
    ///
    /// # Panics
    ///
    /// If the handle is of another recording.
    fn index(&self, handle: LoopHandle) -> &LoopOutcome {
        &self.loops[handle.0]
    }
}
