//! Marks the states whose policy leads to the best cycle of their component, and gives them their
//! values, one step back along the policy (`markMinComponent` and `valuePropagate` of Barnat,
//! Bauch, Brim and Češka, 2011, Algorithm 4). One invocation per state.
//!
//! flags: WIDE
//!
//! Owns `values`, an entry per state. Shares `levels` (atomic): how many steps a marked state is
//! from the leader. Reads the rest.
#import lib/grid
#import lib/loop
#import cycle_mean/lib/edges
#import cycle_mean/lib/params
#import cycle_mean/lib/scales

@group(0) @binding(0) var<storage, read> rows: array<vec2<u32>>;
@group(0) @binding(3) var<storage, read> choices: array<u32>;
@group(0) @binding(4) var<storage, read> scales: array<Scale>;
//@ disjoint values: states of earlier steps are read, and states of this step are written
@group(0) @binding(5) var<storage, read_write> values: array<vec2<u32>>;
@group(0) @binding(6) var<storage, read_write> levels: array<atomic<u32>>;

@compute @workgroup_size(SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) local: u32) {
    let level = loop_now.iteration + 1u;
    for (var i = grid_index(grid, local, SIZE); i < params.states; i += grid_stride(grid, SIZE)) {
        if atomicLoad(&levels[i]) != NONE {
            continue;
        }
        let edge = edge_at(choices[i]);
        if atomicLoad(&levels[edge.to]) >= level {
            continue;
        }
        let length = scaled(scales[rows[i].y], edge.weight, vec2<u32>(edge.time, 0u));
        values[i] = add64(length, values[edge.to]);
        atomicStore(&levels[i], level);
        loop_again(grid.count.x);
    }
}
