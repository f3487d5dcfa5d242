//! Doubles the walks along a policy: each goes on by as many steps as it has gone.
//!
//! Owns `to_walks`, an entry a state. Reads `from_walks`: where a walk has come to, and the least
//! state that it left.
#import lib/grid
#import cycle_mean/lib/params

@group(0) @binding(0) var<storage, read> from_walks: array<vec2<u32>>;
@group(0) @binding(1) var<storage, read_write> to_walks: array<vec2<u32>>;

@compute @workgroup_size(SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) local: u32) {
    for (var i = grid_index(grid, local, SIZE); i < params.states; i += grid_stride(grid, SIZE)) {
        let first = from_walks[i];
        if first.x == NONE {
            to_walks[i] = first;
            continue;
        }
        let second = from_walks[first.x];
        to_walks[i] = vec2<u32>(second.x, min(first.y, second.y));
    }
}
