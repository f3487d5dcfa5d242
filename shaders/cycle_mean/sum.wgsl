//! Doubles the ways over which weights and times are added up. A way that has reached its leader
//! stays there, because the sums of a leader are 0. One invocation per state.
//!
//! flags: WIDE, TELL
//!
//! Owns `to_sums` and `to_high_times`, an entry per state. Reads the rest. `TELL` asks for another
//! iteration unless all ways have come to their leaders.
#import lib/grid
#import lib/loop
#import lib/int64
#import cycle_mean/lib/params

@group(0) @binding(0) var<storage, read> from_sums: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read> leaders: array<u32>;
@group(0) @binding(2) var<storage, read_write> to_sums: array<vec4<u32>>;
#ifdef WIDE
@group(0) @binding(3) var<storage, read> from_high_times: array<u32>;
@group(0) @binding(4) var<storage, read_write> to_high_times: array<u32>;
#endif

@compute @workgroup_size(SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) local: u32) {
    for (var i = grid_index(grid, local, SIZE); i < params.states; i += grid_stride(grid, SIZE)) {
        if leaders[i] == NONE {
            continue;
        }
        let first = from_sums[i];
        let second = from_sums[first.x];
        let weight = add64(first.zw, second.zw);
#ifdef WIDE
        let first_time = vec2<u32>(first.y, from_high_times[i]);
        let time = add64(first_time, vec2<u32>(second.y, from_high_times[first.x]));
        to_high_times[i] = time.y;
#else
        let time = vec2<u32>(first.y + second.y, 0u);
#endif
        to_sums[i] = vec4<u32>(second.x, time.x, weight);
#ifdef TELL
        if second.x != leaders[i] {
            loop_again(grid.count.x);
        }
#endif
    }
}
