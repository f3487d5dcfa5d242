//! What a run brings back: loops' ends, data that was read, times.

use std::ops::{ControlFlow, Index};

use bytemuck::{Pod, Zeroable};

use crate::recording::{LoopTicket, Ticket};

/// The record that a loop hands from iteration to iteration, as `lib/loop.wgsl` lays it out.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct LoopRecord {
    /// The workgroups of the iteration.
    pub groups: [u32; 3],
    /// The iteration's number, from 0, modulo 2^32.
    pub iteration: u32,
    /// What the kernels wrote.
    pub words: [u32; LoopRecord::WORDS],
}

impl LoopRecord {
    /// How many words kernels hand on.
    pub const WORDS: usize = 12;

    /// Whether an iteration with this record does nothing: the loop is over.
    #[must_use]
    pub fn is_last(&self) -> bool {
        self.groups.contains(&0)
    }
}

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
    /// How many dispatches, those without workgroups after a loop's end included.
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
    /// A loop a [`Recording::repeat`](crate::Recording::repeat), in order.
    pub loops: Vec<LoopOutcome>,
    /// The bytes of each [`Recording::read`](crate::Recording::read), in order.
    pub reads: Vec<Vec<u8>>,
    /// How often the device was handed work.
    pub submissions: u64,
    /// Times a kernel, if they were asked for and the adapter can tell.
    pub times: Vec<PassTime>,
    /// Each dispatch, in the order in which they ran, those without workgroups after a loop's end included; if times were
    /// asked for and the adapter can tell.
    pub dispatch_times: Vec<DispatchTime>,
}

impl Outcome {
    /// The data that `ticket` stands for.
    ///
    /// # Panics
    ///
    /// If the ticket is of another recording.
    #[must_use]
    pub fn get<T: Pod>(&self, ticket: Ticket<T>) -> Vec<T> {
        bytemuck::pod_collect_to_vec(&self.reads[ticket.index])
    }
}

impl Index<LoopTicket> for Outcome {
    type Output = LoopOutcome;

    /// How the loop that `ticket` stands for ended.
    ///
    /// # Panics
    ///
    /// If the ticket is of another recording.
    fn index(&self, ticket: LoopTicket) -> &LoopOutcome {
        &self.loops[ticket.0]
    }
}

/// How far a run has come. An observer sees it between submissions, and while kernels are compiled.
#[derive(Clone, Copy, Debug)]
pub struct Progress<'a> {
    /// The loop that is running.
    pub name: &'a str,
    /// Whether nothing runs yet, as the driver compiles the kernels: this is said many times a second until it has.
    pub is_compiling: bool,
    /// How many of its iterations are done.
    pub iterations: u64,
    /// The records of the iterations done since the last report.
    pub records: &'a [LoopRecord],
}

/// Watches a run; [`ControlFlow::Break`] cancels it.
pub type Observer<'a> = dyn FnMut(Progress<'_>) -> ControlFlow<()> + 'a;

/// How a run is to be watched.
#[derive(Default)]
pub struct Control<'a> {
    /// Called between submissions.
    pub observer: Option<&'a mut Observer<'a>>,
    /// Time each pass. It costs a little, and needs timestamps.
    pub time_passes: bool,
}

impl std::fmt::Debug for Control<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (observed, timed) = (self.observer.is_some(), self.time_passes);
        write!(f, "Control(observed: {observed}, timed: {timed})")
    }
}
