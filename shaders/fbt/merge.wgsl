//! Ends the searches of a round of BFBT: makes regions of what the bounded searches reached (2016
//! paper, Algorithm 2, lines 17 to 20). One invocation per state.
//!
//! The searches mark the same words, so the states of a component are done already. But the search
//! that was cut short has left marks outside the states that the other reached. Only the search
//! that ended tells regions apart: with both marks, x of `x -> p, x <-> y` would be separated from
//! y.
//!
//! Regions that were left over because they have no candidate were not searched, and stay the same.
//! Owns `results`, a word per invocation.
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
