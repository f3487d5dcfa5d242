//! Runs before and after the regions that are left over are named (`--candidates join`). One
//! invocation per state.
//!
//! Searches from candidates leave regions without a pivot. They are no components, but need
//! different names, as components do. One more selection of pivots, in which all their states
//! compete, names each region after one of its states. It runs between two passes of this kernel:
//! the first lets the states compete, the second takes the name without the marks of a search. Owns
//! `results`, a word per invocation.
#import lib/grid
#import fbt/lib/results
#import fbt/lib/states

@group(0) @binding(0) var<storage, read_write> results: array<u32>;
@group(0) @binding(1) var<uniform> params: StatesParams;

@compute @workgroup_size(SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) local: u32) {
    for (var i = grid_index(grid, local, SIZE); i < params.states; i += grid_stride(grid, SIZE)) {
        let result = results[i];
        if (result & (LOCK | DONE)) == (LOCK | DONE) {
            results[i] = result & REGION;
        } else if (result & LOCK) != 0u {
            results[i] = result & ~LOCK;
        }
    }
}
