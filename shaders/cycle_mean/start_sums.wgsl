//! Begins to add up the weights and times on the way to the leaders: a state has those of its edge,
//! and a leader has none. One invocation per state.
//!
//! flags: WIDE
//!
//! The attempt has failed if a state and the next state of the policy have different leaders: then
//! the walks were not long enough (`leaders`).
//!
//! Owns `sums` and `high_times`, an entry per state. Shares `changed` (atomic). Reads the rest. An
//! entry of `sums` is the state that was come to, the low word of the time, and the weight;
//! `high_times` (`WIDE`) has the high word of the time.
#import lib/grid
#import cycle_mean/lib/changed
#import cycle_mean/lib/edges
#import cycle_mean/lib/params

@group(0) @binding(0) var<storage, read> choices: array<u32>;
@group(0) @binding(3) var<storage, read> next_states: array<u32>;
@group(0) @binding(4) var<storage, read> leaders: array<u32>;
@group(0) @binding(5) var<storage, read_write> sums: array<vec4<u32>>;
#ifdef WIDE
@group(0) @binding(6) var<storage, read_write> high_times: array<u32>;
#endif

@compute @workgroup_size(SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) local: u32) {
    for (var i = grid_index(grid, local, SIZE); i < params.states; i += grid_stride(grid, SIZE)) {
        if i == 0u {
            forget_notes();
        }
        if leaders[i] == NONE {
            continue;
        }
        var sum = vec4<u32>(i, 0u, 0u, 0u);
        if leaders[next_states[i]] != leaders[i] {
            fail_attempt();
        }
        if leaders[i] != i {
            let edge = edge_at(choices[i]);
            sum = vec4<u32>(next_states[i], edge.time, edge.weight);
        }
        sums[i] = sum;
#ifdef WIDE
        high_times[i] = 0u;
#endif
    }
}
