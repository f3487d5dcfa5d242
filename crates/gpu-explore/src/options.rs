//! How to explore on a device.

use gpu::kernels::explore::{MOST_CANDIDATES, SIZE};
use gpu::{AdapterKind, Gpu, MAX_WORKGROUPS};

/// How to explore.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    /// What the search on the CPU is told too.
    pub explore: explore::Options<'a>,
    /// Sizes that change the time, and nothing else.
    pub tuning: Tuning,
}

impl Options<'_> {
    /// The defaults for a device.
    #[must_use]
    pub fn new(gpu: &Gpu) -> Self {
        Self {
            explore: explore::Options::default(),
            tuning: Tuning::of(gpu),
        }
    }
}

/// Sizes that change how long an exploration takes, and nothing else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tuning {
    /// The workgroups of a dispatch, of 256 invocations each.
    pub workgroups: u32,
    /// For how many states there is room at first.
    pub states: u32,
    /// How many slots the hash table has at first, if that is more than two for each of these
    /// states.
    pub slots: u32,
    /// Whether the table may begin with fewer slots than these states need, so that it overflows.
    pub tight: bool,
    /// How many candidates a batch may have, unless one state has more.
    pub candidates: u32,
    /// How many states a batch may have.
    pub batch: u32,
    /// How many transitions wait on the device until the host takes them.
    pub transitions: u32,
    /// How many transitions stay on the device, where they are to; if there are more, the graph is
    /// brought to the host.
    pub resident: u64,
    /// Where the exploration ends when something was found: how many states are expanded at least
    /// before the host looks for it, and between two looks, unless a quarter of all is more.
    pub look: u32,
    /// How many successors of one state are compared with each other, if some may be equal.
    pub compared: u32,
}

impl Tuning {
    /// The defaults for a device.
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
            look: 1 << 12,
            compared: 1 << 11,
        }
    }

    /// The same, with so few states that an invocation has one, and so few candidates that it has
    /// 16, unless one state has more.
    pub(crate) fn one_each(self) -> Self {
        let invocations = SIZE * self.workgroups;
        Self {
            batch: self.batch.min(invocations),
            candidates: self.candidates.min(16 * invocations),
            ..self
        }
    }

    /// The same within what kernels can do.
    pub(crate) fn bounded(self) -> Self {
        let candidates = self.candidates.clamp(1, MOST_CANDIDATES);
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
            look: self.look,
            compared: self.compared.min(1 << 12),
        }
    }
}
