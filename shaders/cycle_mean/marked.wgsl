//! Starts the search for the best cycle from the marked states.
//!
//! Owns `levels`, a word a state.
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
