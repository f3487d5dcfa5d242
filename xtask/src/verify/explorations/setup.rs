//! The ways in which networks and programs are explored on the interpreter.

use gpu::Gpu;
use gpu_explore::Tuning;
use verify::run::{Scale, Schedule, Settings};

/// Small lists in workgroups, and few attempts to find a slot: tables overflow, and lists become
/// full.
pub(super) const SMALL_LISTS: &[Scale] = &[
    Scale {
        kernels: "gpuexplore/",
        values: &[("SIZE", 32), ("CACHE", 32), ("BUCKETS_TRIED", 2)],
        groups: 1,
    },
    Scale {
        kernels: "explore/",
        values: &[("FRESH", 16), ("WAITING", 12), ("TRIES", 1)],
        groups: 1,
    },
];

/// Few slots for the search that numbers states.
const FEW_SLOTS: Scale = Scale {
    kernels: "explore/",
    values: &[("FRESH", 4), ("WAITING", 12), ("TRIES", 1), ("BUCKET", 1)],
    groups: 1,
};

/// One attempt to find a slot or a place, among few: tables overflow repeatedly, even those that
/// were just enlarged, and the shortest lists are long enough. Only for states of one, two or four
/// words, whose places are then where the host expects them.
pub(super) const FEW_PLACES: &[Scale] = &[
    Scale {
        kernels: "gpuexplore/",
        values: &[
            ("SIZE", 32),
            ("CACHE", 32),
            ("BUCKET", 4),
            ("BUCKETS_TRIED", 1),
            ("MAX_MOVES", 2),
        ],
        groups: 1,
    },
    FEW_SLOTS,
];

/// The same with a single place and a single slot, for states of one word.
pub(super) const ONE_PLACE: &[Scale] = &[
    Scale {
        kernels: "gpuexplore/",
        values: &[
            ("SIZE", 32),
            ("CACHE", 32),
            ("BUCKET", 1),
            ("BUCKETS_TRIED", 1),
            ("FUNCTIONS", 1),
            ("MAX_MOVES", 2),
        ],
        groups: 1,
    },
    FEW_SLOTS,
];

/// Two places for each state, of two words. A state that has one of them may find both taken in a
/// larger table, into which all states are put in another order.
pub(super) const TWO_PLACES: &[Scale] = &[Scale {
    kernels: "gpuexplore/",
    values: &[
        ("SIZE", 32),
        ("CACHE", 32),
        ("BUCKET", 2),
        ("BUCKETS_TRIED", 2),
        ("FUNCTIONS", 2),
        ("MAX_MOVES", 2),
    ],
    groups: 1,
}];

/// A small cache and nothing else, for networks with more processes than a small workgroup has
/// invocations.
pub(super) const SMALL_CACHE: &[Scale] = &[Scale {
    kernels: "gpuexplore/",
    values: &[("CACHE", 64)],
    groups: 1,
}];

/// The way in which a network or program is explored.
#[derive(Clone, Copy, Debug)]
pub(super) struct Setup {
    pub(super) scales: &'static [Scale],
    /// The largest number of candidates, in batches that are as large as on devices.
    pub(super) candidates: Option<u32>,
    /// The number of successors of a state that are compared, and the number that would have to be
    /// compared.
    pub(super) compared: Option<[u32; 2]>,
    /// Whether it is explored again with a limit equal to the number of states, and with a lower
    /// one.
    pub(super) has_limits: bool,
    /// The number of ways in which one rule may change a state. The paper's search accepts this
    /// number, or one less.
    pub(super) ways: Option<u32>,
    /// Whether expressions are computed by instructions where possible.
    pub(super) is_computed: bool,
    /// Whether it is explored again with deadlocks as errors.
    pub(super) refuses: bool,
    /// Whether there is room for only a few rows of a batch.
    pub(super) has_few_rows: bool,
    /// Whether all states of a level are expanded together.
    pub(super) has_whole_levels: bool,
    /// Whether atomic loads may see old values, instead of a choice by the seed.
    pub(super) sees_old_values: bool,
    /// The number of workgroups, instead of one chosen by the seed.
    pub(super) workgroups: Option<u32>,
    /// The scheduler, instead of one chosen by the seed. With it, several workgroups run at a time.
    pub(super) schedule: Option<Schedule>,
}

/// The usual way.
pub(super) const USUAL: Setup = Setup {
    scales: &[],
    candidates: None,
    compared: None,
    has_limits: false,
    ways: None,
    is_computed: false,
    refuses: false,
    has_few_rows: false,
    has_whole_levels: false,
    sees_old_values: false,
    workgroups: None,
    schedule: None,
};

impl Setup {
    /// Returns the settings of the interpreter. `by_seed` are those that the seed would choose.
    pub(super) fn settings(&self, by_seed: Settings) -> Settings {
        let mut settings = by_seed;
        if !self.scales.is_empty() {
            settings.scales = self.scales;
        }
        if let Some(schedule) = self.schedule {
            settings.schedule = schedule;
            settings.resident = 4;
        }
        settings.stale |= self.sees_old_values;
        settings
    }

    /// Returns the number of operations after which an invocation of a changed kernel is considered
    /// endless.
    pub(super) fn operations(&self) -> u64 {
        match self.candidates.or(self.ways) {
            None => 200_000,
            // One state has hundreds of successors.
            Some(_) => 2_000_000,
        }
    }

    pub(super) fn tune(&self, tuning: Tuning) -> Tuning {
        let tuning = Tuning {
            compared: self
                .compared
                .map_or(tuning.compared, |[compared, _]| compared),
            ..tuning
        };
        let tuning = match self.has_whole_levels {
            false => tuning,
            true => Tuning {
                candidates: 64,
                transitions: 64,
                batch: 64,
                ..tuning
            },
        };
        let tuning = match (self.candidates, self.has_few_rows) {
            (None, false) => tuning,
            (None, true) => Tuning {
                candidates: 1,
                transitions: 8,
                batch: 2,
                ..tuning
            },
            (Some(candidates), _) => Tuning {
                workgroups: 4,
                candidates,
                batch: 1 << 12,
                ..tuning
            },
        };
        let tuning = Tuning {
            workgroups: self.workgroups.unwrap_or(tuning.workgroups),
            ..tuning
        };
        match self.candidates.or(self.ways) {
            None => tuning,
            // In a small table, each of many successors would be looked for in all slots.
            Some(_) => Tuning {
                states: 1 << 12,
                tight: false,
                ..tuning
            },
        }
    }
}

/// Returns sizes of which some are too small at first.
pub(super) fn tuning(gpu: &Gpu, seed: u64) -> Tuning {
    let pick = |of: [u32; 3], by: u64| of[(seed / by % 3) as usize];
    Tuning {
        workgroups: 1 + seed as u32 % 2,
        states: pick([64, 1, 4], 1),
        slots: 32,
        tight: seed.is_multiple_of(5),
        candidates: pick([64, 1, 3], 3),
        batch: pick([64, 1, 2], 9),
        transitions: pick([64, 1, 8], 2),
        ..Tuning::of(gpu)
    }
}
