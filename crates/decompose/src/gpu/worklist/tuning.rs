//! How the fast engine shares out its work, which was found by measuring (`docs/benchmarks/`).

use ::gpu::{AdapterInfo, AdapterKind};

/// How work is shared out. No answer depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tuning {
    /// The fewest waiting states that are worth a workgroup. Of what is peeled after a split each is.
    pub share: u32,
    /// The most workgroups of a dispatch, up to 65,535.
    pub most_groups: u32,
    /// How often a workgroup goes on with what it found itself, before it hands over what is left.
    pub hops: u32,
    /// The same in a search of few states: one that is reached by a long way makes other ways longer.
    pub search_hops: u32,
    /// How many states it may have found to go on with them alone, if there are many workgroups.
    pub narrow: u32,
    /// How many states all workgroups may have handed over before everyone does.
    pub handover: u32,
    /// After how many rounds of pivots regions are divided by signatures.
    pub most_rounds: u32,
    /// How often signatures may be spread until they settle.
    pub spreads: u32,
    /// States with more edges are left to all workgroups together.
    pub heavy_degree: u32,
    /// Prefer pivots of large degrees.
    pub by_degree: bool,
    /// From so many edges a state on, the whole graph is taken for one component first.
    pub whole: u32,
    /// What the host takes for a state or an edge at least, in nanoseconds. When a search has taken
    /// as long as the host would for what is left, the host finishes it. `None`: it never does.
    pub host_nanoseconds: Option<u32>,
    /// Give each iteration the same workgroups, whether it comes to pass or not: it begins sooner than one whose
    /// workgroups the iteration before asks for, but one behind the search's end is started in vain.
    pub fixed_grid: bool,
    /// With fewer edges a state, the first ones of each row lie beside what says where it is; that takes 64 bytes a state.
    pub heads: u32,
}

impl Default for Tuning {
    fn default() -> Self {
        Self {
            share: 8,
            most_groups: 1024,
            hops: 64,
            search_hops: 32,
            narrow: 256,
            handover: 128,
            most_rounds: 16,
            spreads: 32,
            heavy_degree: 4096,
            by_degree: true,
            whole: 5,
            host_nanoseconds: Some(10),
            fixed_grid: true,
            heads: 5,
        }
    }
}

impl Tuning {
    /// What suits an adapter. A software one starts the workgroups of an iteration one by one, and takes as long for
    /// those that have nothing to do; and as it runs on the host's own cores, nothing is left to them that it was
    /// asked for by name.
    pub(super) fn of(adapter: &AdapterInfo) -> Self {
        match adapter.kind {
            AdapterKind::Software => Self {
                most_groups: 64,
                host_nanoseconds: None,
                fixed_grid: false,
                ..Self::default()
            },
            _ => Self::default(),
        }
    }

    /// Within what the kernels can take.
    pub(super) fn bounded(self) -> Self {
        Self {
            share: self.share.max(1),
            most_groups: self.most_groups.clamp(1, ::gpu::MAX_WORKGROUPS),
            heavy_degree: self.heavy_degree.clamp(1, 1 << 20),
            most_rounds: self.most_rounds.max(1),
            ..self
        }
    }
}
