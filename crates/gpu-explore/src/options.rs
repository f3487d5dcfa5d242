//! The options of an exploration on a device.

use gpu::kernels::explore::{MAX_CANDIDATES, SIZE};
use gpu::{AdapterKind, Gpu, MAX_WORKGROUPS};

/// The options of an exploration on a device.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    /// The options that the search on the CPU has, too.
    pub explore: explore::Options<'a>,
    /// The sizes that affect only the time.
    pub tuning: Tuning,
}

impl Options<'_> {
    /// Returns the default options for a device.
    #[must_use]
    pub fn new(gpu: &Gpu) -> Self {
        Self {
            explore: explore::Options::default(),
            tuning: Tuning::of(gpu),
        }
    }
}

/// Sizes that affect only the time of an exploration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tuning {
    /// The number of workgroups of a dispatch, with 256 invocations each.
    pub workgroups: u32,
    /// The number of states for which there is room at first.
    pub states: u32,
    /// The number of slots of the hash table at first, if that is more than two for each of these
    /// states.
    pub slots: u32,
    /// Whether the table may begin with fewer slots than these states need, so that it overflows.
    pub tight: bool,
    /// The maximum number of candidates in a batch, unless a single state has more.
    pub candidates: u32,
    /// The maximum number of states in a batch.
    pub batch: u32,
    /// The number of transitions that may wait on the device until the host takes them.
    pub transitions: u32,
    /// The maximum number of transitions of a graph that stays on the device. A larger graph is
    /// copied to the host.
    pub resident: u64,
    /// For explorations with a goal: the number of states that are expanded before the host first
    /// checks the goal, and between two checks. If a quarter of all expanded states is more, the
    /// next check is after that many states.
    pub first_check: u32,
    /// The maximum number of successors of one state that are compared with each other, if some may
    /// be equal.
    pub compared: u32,
}

impl Tuning {
    /// Returns the default sizes for a device.
    #[must_use]
    pub fn of(gpu: &Gpu) -> Self {
        let is_software = gpu.info().kind == AdapterKind::Software;
        Self {
            workgroups: if is_software { 16 } else { 2048 },
            states: 1 << if is_software { 16 } else { 20 },
            slots: 0,
            tight: false,
            candidates: 1 << if is_software { 15 } else { 22 },
            batch: 1 << if is_software { 14 } else { 20 },
            transitions: 1 << if is_software { 18 } else { 24 },
            resident: u64::MAX,
            first_check: 1 << 12,
            compared: 1 << 11,
        }
    }

    /// Limits a batch so that each invocation handles one state and 16 candidates, unless a single
    /// state has more.
    pub(crate) fn one_each(self) -> Self {
        let invocations = SIZE * self.workgroups;
        Self {
            batch: self.batch.min(invocations),
            candidates: self.candidates.min(16 * invocations),
            ..self
        }
    }

    /// Limits the sizes to what the kernels support.
    pub(crate) fn bounded(self) -> Self {
        let candidates = self.candidates.clamp(1, MAX_CANDIDATES);
        let batch = self.batch.clamp(1, 1 << 24);
        Self {
            workgroups: self.workgroups.clamp(1, MAX_WORKGROUPS),
            states: self.states.max(1),
            slots: self.slots,
            tight: self.tight,
            candidates,
            batch,
            transitions: self.transitions.max(candidates),
            resident: self.resident,
            first_check: self.first_check,
            compared: self.compared.min(1 << 12),
        }
    }
}
