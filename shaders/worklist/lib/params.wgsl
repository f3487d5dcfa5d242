//! The parameters of the kernels of the worklist engine. If a value comes from `Tuning`, it has the
//! same name as there.

/// The states whose rows are bound, in one direction.
struct WorklistRows {
    first_state: u32,
    end_state: u32,
    /// The position of the first edge that is bound.
    first_edge: u32,
    padding: u32,
}

struct WorklistParams {
    /// Forward and backward.
    rows: array<WorklistRows, 2>,
    states: u32,
    /// The length of `queue`.
    capacity: u32,
    /// The number of entries for which `hubs` has room, of one iteration.
    hub_capacity: u32,
    /// STAGE_TRIM, STAGE_SEARCH: which stages to run.
    stages: u32,
    /// 1 in the first dispatch of an iteration, which also does the work that needs no edges.
    is_first_shard: u32,
    /// The fewest entries that are worth a workgroup.
    share: u32,
    /// The most workgroups.
    most_groups: u32,
    /// The number of hops for which a workgroup follows what it found, in phases whose order does
    /// not matter.
    hops: u32,
    /// A workgroup that has found more entries than this does not go on alone.
    narrow: u32,
    /// When all workgroups together have spilled so many entries, each of them spills its own.
    spill_limit: u32,
    /// A state with more edges is a hub: all workgroups share its row.
    hub_degree: u32,
    /// 1: prefer pivots of large degrees.
    by_degree: u32,
    /// The number of bits for the number of a state: 1 to MAX_NUMBER_BITS.
    number_bits: u32,
    /// Beside the pivot, the word of all states if the graph is one component.
    one_component_mark: u32,
    /// As `hops`, in searches with few entries: states that are reached by a detour make other
    /// paths longer.
    search_hops: u32,
    /// The largest number of propagations of colours.
    most_propagations: u32,
    /// The number of iterations that find little after which regions are divided by colours.
    most_thin: u32,
    /// An iteration finds little if what is live would take more iterations than this at its pace.
    most_left: u32,
    /// The number of rounds that decide little with the same effect.
    most_slow_rounds: u32,
    /// 1: the keys of colours are mixed from the beginning.
    mixes_keys: u32,
    /// With so many entries, and so many live states, a search that finds more and more is wide.
    wide: u32,
    wide_states: u32,
}

/// In `stages`.
const STAGE_TRIM = 1u;
const STAGE_SEARCH = 2u;

@group(0) @binding(11) var<uniform> params: WorklistParams;
