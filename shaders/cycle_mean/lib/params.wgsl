//! The parameters of all kernels of Howard's algorithm, and the words with a special meaning
//! instead of a number.

/// The invocations of a workgroup.
const SIZE = 256u;

struct HowardParams {
    /// The states of all components.
    states: u32,
    /// How many components there are.
    components: u32,
    /// How many policies there were before this one.
    iteration: u32,
    /// How many states have more than LONGEST_OWN_ROW edges.
    long_rows: u32,
    /// How many levels a search for the best cycle may take.
    most_levels: u32,
    /// How often policies were evaluated, in full or not, with this time.
    attempt: u32,
    /// Outside loops: the level of a search for the best cycle, and how many there are.
    level: u32,
    levels: u32,
}

@group(0) @binding(9) var<uniform> params: HowardParams;

/// No state; no edge; no level.
const NONE = 0xffffffffu;
