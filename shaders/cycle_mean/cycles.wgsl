//! Gives each leader the weight and the time of its cycle: those of its edge, and of the way back.
//!
//! flags: WIDE
//!
//! Owns `cycles`, an entry a state, which only leaders have: the weight, then the time. Reads the
//! rest.
#import lib/grid
#import cycle_mean/lib/edges
#import cycle_mean/lib/params

const SIZE = 256u;

@group(0) @binding(0) var<storage, read> choices: array<u32>;
@group(0) @binding(3) var<storage, read> next_states: array<u32>;
@group(0) @binding(4) var<storage, read> leaders: array<u32>;
@group(0) @binding(5) var<storage, read> sums: array<vec4<u32>>;
#ifdef WIDE
@group(0) @binding(6) var<storage, read> high_times: array<u32>;
#endif
@group(0) @binding(7) var<storage, read_write> cycles: array<vec4<u32>>;
@group(0) @binding(8) var<uniform> params: HowardParams;

@compute @workgroup_size(SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) local: u32) {
    for (var i = grid_index(grid, local, SIZE); i < params.states; i += grid_stride(grid, SIZE)) {
        if leaders[i] != i {
            continue;
        }
        let edge = edge_at(choices[i]);
        let next = next_states[i];
        let back = sums[next];
        var time = vec2<u32>(back.y, 0u);
#ifdef WIDE
        time.y = high_times[next];
#endif
        let weight = add64(edge.weight, back.zw);
        cycles[i] = vec4<u32>(weight, add64(time, vec2<u32>(edge.time, 0u)));
    }
}
