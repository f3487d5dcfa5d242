//! Starts the search for the best cycles (`connect`) at the states that have a value: their level
//! becomes 0. One invocation per state.
//! Owns `levels`, a word per state; NONE, if the state has no value.
#import lib/grid
#import cycle_mean/lib/params

@group(0) @binding(0) var<storage, read_write> levels: array<u32>;

@compute @workgroup_size(SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) local: u32) {
    for (var i = grid_index(grid, local, SIZE); i < params.states; i += grid_stride(grid, SIZE)) {
        if levels[i] != NONE {
            levels[i] = 0u;
        }
    }
}
