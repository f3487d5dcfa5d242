//! Gives each leader the weight and time of its cycle: those of its edge and of the way back.
//!
//! flags: WIDE
//!
//! One invocation per state. Owns `cycles`, an entry per state, which only leaders have: the
//! weight, then the time. Reads the rest.
#import lib/grid
#import cycle_mean/lib/edges
#import cycle_mean/lib/params
#import cycle_mean/lib/sums

@group(0) @binding(0) var<storage, read> choices: array<u32>;
@group(0) @binding(3) var<storage, read> next_states: array<u32>;
@group(0) @binding(4) var<storage, read> leaders: array<u32>;
@group(0) @binding(7) var<storage, read_write> cycles: array<vec4<u32>>;

@compute @workgroup_size(SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) local: u32) {
    for (var i = grid_index(grid, local, SIZE); i < params.states; i += grid_stride(grid, SIZE)) {
        if leaders[i] != i {
            continue;
        }
        let edge = edge_at(choices[i]);
        let next = next_states[i];
        let weight = add64(edge.weight, weight_from(next));
        cycles[i] = vec4<u32>(weight, add64(time_from(next), vec2<u32>(edge.time, 0u)));
    }
}
