//! Begins to evaluate a policy: each state takes the first step of its walk, to the target of its
//! edge. States of components whose last policy was optimal walk no more. One invocation per state.
//!
//! flags: WIDE
//!
//! Owns `next_states` and `walks`, an entry per state, and `best`, a word per component. Reads the
//! rest. An entry of `walks` is where a walk has come to, and the least state that it left.
#import lib/grid
#import cycle_mean/lib/edges
#import cycle_mean/lib/params

@group(0) @binding(0) var<storage, read> rows: array<vec2<u32>>;
@group(0) @binding(3) var<storage, read> choices: array<u32>;
/// For each component the number of the policy that its last change has led to.
@group(0) @binding(4) var<storage, read> changed: array<u32>;
//@ ascending rows.y below params.states: the states of a component follow one another
@group(0) @binding(5) var<storage, read_write> next_states: array<u32>;
@group(0) @binding(6) var<storage, read_write> walks: array<vec2<u32>>;
@group(0) @binding(7) var<storage, read_write> best: array<u32>;

@compute @workgroup_size(SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) local: u32) {
    for (var i = grid_index(grid, local, SIZE); i < params.states; i += grid_stride(grid, SIZE)) {
        let component = rows[i].y;
        if changed[component] < params.iteration {
            next_states[i] = NONE;
            walks[i] = vec2<u32>(NONE, NONE);
            continue;
        }
        let next = edge_at(choices[i]).to;
        next_states[i] = next;
        walks[i] = vec2<u32>(next, i);
        // A component's states follow one another.
        if i == 0u || rows[i - 1u].y != component {
            best[component] = NONE;
        }
    }
}
