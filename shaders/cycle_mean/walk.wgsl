//! Doubles the walks along a policy (pointer doubling): each walk goes on by as many steps as it
//! already has. One invocation per state.
//! Owns `to_walks`, an entry per state. Reads `from_walks`: the end of a walk, and the least state
//! on it before the end.
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
