//! Makes regions of what the bounding searches have found (2016, Algorithm 2, lines 17 to 20).
//!
//! The searches mark the same words, so a component's states are done as they stand. But the search
//! that was cut short has left marks outside of what the other has reached. Regions are told apart
//! by the search that ran to its end alone: with both marks, x of `x -> p, x <-> y` would be torn
//! from y.
//!
//! What was left over for want of a candidate was not searched, and stays as it is.
//!
//! Owns `results`, a word an invocation.
#import lib/grid
#import fbt/lib/results

const SIZE = 256u;

struct MergeParams {
    states: u32,
    /// The mark of the search that was cut short.
    discarded: u32,
}

@group(0) @binding(0) var<storage, read_write> results: array<u32>;
@group(0) @binding(1) var<uniform> params: MergeParams;

@compute @workgroup_size(SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) local: u32) {
    for (var i = grid_index(grid, local, SIZE); i < params.states; i += grid_stride(grid, SIZE)) {
        let result = results[i];
        if is_active(result) && (result & LOCK) == 0u {
            results[i] = result & ~params.discarded;
        }
    }
}
