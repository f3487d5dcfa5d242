//! Checks whether the walks along a policy (`walk`) are long enough. If they are, each state gets
//! its leader: the least state of the cycle to which the policy leads it. One invocation per state.
//!
//! A state takes as its leader the least state on a second walk of the same length, which begins
//! where the first ends. Walks are long enough when each state takes the same leader as the next
//! state of the policy. Then all states of a cycle agree on it. It is the least of them, because
//! their walks contain them all. States that lead there agree, too.
//!
//! flags: TELL
//!
//! Owns `leaders`, a word per state; NONE, if the state does not walk. Reads the rest. `TELL` asks
//! for another iteration unless the walks are long enough; otherwise `start_sums` looks whether
//! they are.
#import lib/grid
#import lib/loop
#import cycle_mean/lib/params

@group(0) @binding(0) var<storage, read> walks: array<vec2<u32>>;
@group(0) @binding(1) var<storage, read> next_states: array<u32>;
@group(0) @binding(2) var<storage, read_write> leaders: array<u32>;

/// Returns the least state on the second walk.
fn least_state(state: u32) -> u32 {
    return walks[walks[state].x].y;
}

@compute @workgroup_size(SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) local: u32) {
    for (var i = grid_index(grid, local, SIZE); i < params.states; i += grid_stride(grid, SIZE)) {
        let next = next_states[i];
        if next == NONE {
            leaders[i] = NONE;
            continue;
        }
        let leader = least_state(i);
        leaders[i] = leader;
#ifdef TELL
        if leader != least_state(next) {
            loop_again(grid.count.x);
        }
#endif
    }
}
