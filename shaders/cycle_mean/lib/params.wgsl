//! The parameters of all kernels of Howard's algorithm, and the words with a special meaning
//! instead of a number.

/// The number of invocations of a workgroup.
const SIZE = 256u;

struct HowardParams {
    /// The number of states of all components.
    states: u32,
    /// The number of components.
    components: u32,
    /// The number of policies before this one.
    iteration: u32,
    /// The number of states with more than LONGEST_OWN_ROW edges.
    long_rows: u32,
    /// The largest number of levels of a search for the best cycle.
    most_levels: u32,
    /// The number of evaluations of policies, complete or not, including this one.
    attempt: u32,
    /// Outside loops: the level of a search for the best cycle, and the number of levels.
    level: u32,
    levels: u32,
}

@group(0) @binding(9) var<uniform> params: HowardParams;

/// No state; no edge; no level.
const NONE = 0xffffffffu;
