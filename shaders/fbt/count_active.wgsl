//! The papers' engine, after trimming: counts the states that are in no component yet (2016 paper,
//! Algorithm 1, line 2). With JOIN, it counts only those that may become pivots. One invocation per
//! state.
//!
//! flags: JOIN
//!
//! Reads `results`, `candidates`. Shares `active_states`, which must be 0 before, by one atomic
//! operation per workgroup.
#import lib/grid
#import fbt/lib/results
#import fbt/lib/states

@group(0) @binding(0) var<storage, read> results: array<u32>;
@group(0) @binding(1) var<storage, read_write> active_states: atomic<u32>;
@group(0) @binding(2) var<uniform> params: StatesParams;
#ifdef JOIN
@group(0) @binding(3) var<storage, read> candidates: array<u32>;
#endif

var<workgroup> sum: atomic<u32>;

@compute @workgroup_size(SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) local: u32) {
    var own = 0u;
    for (var i = grid_index(grid, local, SIZE); i < params.states; i += grid_stride(grid, SIZE)) {
        own += select(0u, 1u, is_active(results[i]) && is_candidate(i));
    }
    if own != 0u {
        atomicAdd(&sum, own);
    }
    workgroupBarrier();
    if local == 0u {
        let total = atomicLoad(&sum);
        if total != 0u {
            atomicAdd(&active_states, total);
        }
    }
}

fn is_candidate(i: u32) -> bool {
#ifdef JOIN
    return ((candidates[i / 32u] >> (i % 32u)) & 1u) != 0u;
#else
    return true;
#endif
}
