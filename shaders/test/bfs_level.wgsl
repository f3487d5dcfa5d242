//! A level of a breadth-first search by a scan of all states (2016 paper, Algorithm 3), for tests.
//!
//! flags: COUNTED
//!
//! One invocation per state of a shard of the edges. Shares `distances` (atomic) between all
//! invocations; reads the rest. `COUNTED` also counts the states that the level finds, in the first
//! word of the loop's record.
#import lib/grid
#import lib/loop

const SIZE = 64u;

struct BfsParams {
    /// The shard's first state.
    first_state: u32,
    /// The state after its last.
    end_state: u32,
    /// The position in all edges of the shard's first edge.
    first_edge: u32,
}

@group(0) @binding(0) var<storage, read> offsets: array<u32>;
@group(0) @binding(1) var<storage, read> targets: array<u32>;
@group(0) @binding(2) var<storage, read_write> distances: array<atomic<u32>>;
@group(0) @binding(3) var<uniform> params: BfsParams;

@compute @workgroup_size(SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) local: u32) {
    let level = loop_now.iteration;
    let first = params.first_state + grid_index(grid, local, SIZE);
    for (var i = first; i < params.end_state; i += grid_stride(grid, SIZE)) {
        if atomicLoad(&distances[i]) != level {
            continue;
        }
        for (var j = offsets[i]; j < offsets[i + 1u]; j += 1u) {
            let target_state = targets[j - params.first_edge];
            if atomicMin(&distances[target_state], level + 1u) > level + 1u {
                loop_again(grid.count.x);
#ifdef COUNTED
                atomicAdd(&loop_next.words[0], 1u);
#endif
            }
        }
    }
}
