//! Gives a value to each state whose policy leads to the best cycle of its component: the sum of q
//! weight - p time on the way to that cycle's leader. `connect` leads all others there. The attempt
//! has failed if a way has not reached its leader. One invocation per state.
//!
//! flags: WIDE
//!
//! Owns `values` and `levels`, an entry per state. Shares `changed` (atomic). Reads the rest.
#import lib/grid
#import cycle_mean/lib/changed
#import cycle_mean/lib/params
#import cycle_mean/lib/scales
#import cycle_mean/lib/sums

@group(0) @binding(0) var<storage, read> rows: array<vec2<u32>>;
@group(0) @binding(1) var<storage, read> leaders: array<u32>;
@group(0) @binding(2) var<storage, read> scales: array<Scale>;
@group(0) @binding(3) var<storage, read_write> values: array<vec2<u32>>;
@group(0) @binding(4) var<storage, read_write> levels: array<u32>;

#ifndef WIDE
/// The longest way of the workgroup's states. Each step takes a time of 1.
var<workgroup> longest: atomic<u32>;
#endif

@compute @workgroup_size(SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) local: u32) {
    var own_longest = 0u;
    for (var i = grid_index(grid, local, SIZE); i < params.states; i += grid_stride(grid, SIZE)) {
        if leaders[i] == NONE {
            continue;
        }
        if leader_from(i) != leaders[i] {
            fail_attempt();
        }
        own_longest = max(own_longest, time_from(i).x);
        let scale = scales[rows[i].y];
        if leaders[i] != scale.leader {
            levels[i] = NONE;
            continue;
        }
        values[i] = scaled(scale, weight_from(i), time_from(i));
        levels[i] = 0u;
    }
#ifndef WIDE
    atomicMax(&longest, own_longest);
    workgroupBarrier();
    if local == 0u {
        note_way(atomicLoad(&longest));
    }
#endif
}
