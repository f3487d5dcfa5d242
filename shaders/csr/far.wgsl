//! Looks at some edges of every `step`-th state, and counts those that lead far. From this sample,
//! the host estimates how long it would search the graph itself (`decompose/src/cost.rs`). One
//! invocation per state of the sample. Reads `offsets` and `edges`. Shares, by atomics, `tallies`:
//! how many edges lead far, and how many there are.
#import lib/grid

const SIZE = 256u;

struct FarParams {
    /// The number of states to choose from, the first ones; the step from one to the next.
    states: u32,
    step: u32,
    /// The number of edges of a state that are examined.
    most: u32,
    /// An edge leads far if the numbers of its states are this far apart.
    far: u32,
}

@group(0) @binding(0) var<storage, read> offsets: array<u32>;
@group(0) @binding(1) var<storage, read> edges: array<u32>;
@group(0) @binding(2) var<storage, read_write> tallies: array<atomic<u32>, 2>;
@group(0) @binding(3) var<uniform> params: FarParams;

@compute @workgroup_size(SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) local: u32) {
    let sampled = (params.states + params.step - 1u) / params.step;
    for (var i = grid_index(grid, local, SIZE); i < sampled; i += grid_stride(grid, SIZE)) {
        let state = i * params.step;
        let end = min(offsets[state + 1u], offsets[state] + params.most);
        var far_here = 0u;
        for (var edge = offsets[state]; edge < end; edge++) {
            let target_state = edges[edge];
            let apart = max(target_state, state) - min(target_state, state);
            far_here += u32(apart >= params.far);
        }
        if offsets[state] < end {
            atomicAdd(&tallies[0], far_here);
            atomicAdd(&tallies[1], end - offsets[state]);
        }
    }
}
