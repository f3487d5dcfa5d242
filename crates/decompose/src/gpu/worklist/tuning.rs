//! The distribution of work in the worklist engine, as determined by measurements
//! (`docs/benchmarks/`).

use ::gpu::{AdapterInfo, AdapterKind};

/// The distribution of work. No answer depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tuning {
    /// The fewest waiting states that are worth a workgroup. Of the states that are trimmed after a
    /// split, each one is worth a workgroup.
    pub share: u32,
    /// The most workgroups of a dispatch, up to 65,535.
    pub most_groups: u32,
    /// The number of hops for which a workgroup follows the states that it has found, before it
    /// spills the rest.
    pub hops: u32,
    /// The number of hops in a search with few states. There it is limited because states that are
    /// first reached by a detour make other paths longer.
    pub search_hops: u32,
    /// A workgroup that has found more states than this does not continue alone.
    pub narrow: u32,
    /// When all workgroups together have spilled this many states, each of them spills its own.
    pub spill_limit: u32,
    /// A search is wide if this many states wait, and these are more than it has explored. In a
    /// wide search, workgroups share the states that each hop finds.
    pub wide: u32,
    /// With fewer live states than this, no search is wide, because a few hops find nearly all of
    /// them anyway.
    pub wide_states: u32,
    /// The number of iterations that find little after which regions are divided by colours; in
    /// large graphs it is larger (`docs/colouring.md`).
    pub most_thin: u32,
    /// An iteration finds little if, at its pace, the live states would take this many times as
    /// many iterations.
    pub left_times: u32,
    /// The number of rounds that decide less than an eighth of the live states after which regions
    /// are divided by colours; in large graphs it is larger (`docs/colouring.md`).
    pub most_slow_rounds: u32,
    /// The number of passes in which colours may settle.
    pub most_propagations: u32,
    /// A state with more edges than this is a hub, whose row all workgroups share.
    pub hub_degree: u32,
    /// Prefer pivots of large degrees.
    pub by_degree: bool,
    /// If states have at least this many edges on average, the whole graph is first assumed to be
    /// one component.
    pub one_component_degree: u32,
    /// The host finishes a search when the device has taken this percentage of the time that the
    /// host is expected to take for the rest
    /// ([`Problem::rest_on_cpu`](crate::cost::Problem::rest_on_cpu)). With 0 it does so at once,
    /// and with `None` never.
    pub host_percent: Option<u32>,
    /// Give all iterations the same number of workgroups. An iteration then begins sooner than if
    /// the previous iteration determined its workgroups, but iterations after the end start
    /// workgroups without work.
    pub fixed_grid: bool,
    /// A graph with at least this many states is decomposed by walks if no state leads to two
    /// others, or no two states lead to the same one.
    pub functional_states: u32,
    /// The number of steps that a walk may take until it comes to a splitter.
    pub walk_steps: u32,
    /// If states have fewer edges than this on average, the first edges of each row are stored
    /// beside its position, which takes 64 bytes for each state.
    pub inline_degree: u32,
}

impl Default for Tuning {
    fn default() -> Self {
        Self {
            share: 8,
            most_groups: 1024,
            hops: 64,
            search_hops: 32,
            narrow: 256,
            spill_limit: 128,
            wide: 1 << 9,
            wide_states: 1 << 18,
            most_thin: 8,
            left_times: 8,
            most_slow_rounds: 16,
            most_propagations: 128,
            hub_degree: 4096,
            by_degree: true,
            one_component_degree: 5,
            host_percent: Some(100),
            fixed_grid: true,
            functional_states: 1 << 10,
            walk_steps: 1 << 14,
            inline_degree: 5,
        }
    }
}

impl Tuning {
    /// Returns the tuning for an adapter. A software adapter starts the workgroups of an iteration
    /// one by one, and takes as long for those without work. It runs on the host's own cores, so
    /// nothing is gained by leaving work to the host.
    pub(crate) fn of(adapter: &AdapterInfo) -> Self {
        match adapter.kind {
            AdapterKind::Software => Self {
                most_groups: 64,
                host_percent: None,
                fixed_grid: false,
                ..Self::default()
            },
            _ => Self::default(),
        }
    }

    /// Returns whether a search first tries if a graph of so many states and edges is one
    /// component. With more edges, this is more likely, and the search is wider.
    pub(super) fn tries_one_component(&self, states: u32, edges: u64) -> bool {
        states > 0 && edges / u64::from(states) >= u64::from(self.one_component_degree)
    }

    /// Returns the tuning within the limits of the kernels.
    pub(super) fn bounded(self) -> Self {
        Self {
            share: self.share.max(1),
            most_groups: self.most_groups.clamp(1, ::gpu::MAX_WORKGROUPS),
            hub_degree: self.hub_degree.clamp(1, 1 << 20),
            most_thin: self.most_thin.clamp(1, 1000),
            most_slow_rounds: self.most_slow_rounds.clamp(1, 1000),
            ..self
        }
    }
}
