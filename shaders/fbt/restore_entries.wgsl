//! Restores the entries that pivot selection has locked (2016 paper, 5.3: "thread i needs to
//! swap").
//!
//! One invocation per entry looks for a lock, because a winner cannot find its entry: its word has
//! lost the region that the hash came from (line 28 of Algorithm 6 overwrites it).
//! Owns `entries`, one an invocation, and the words of `results` of the pivots in its entries: a
//! state locks one entry at most.
#import lib/grid
#import fbt/lib/results

const SIZE = 256u;

struct RestoreParams {
    /// The number of entries that are bound.
    entries: u32,
}

//@ disjoint results: a locked entry names its pivot, and a state locks one entry at most
@group(0) @binding(0) var<storage, read_write> results: array<u32>;
@group(0) @binding(1) var<storage, read_write> entries: array<u32>;
@group(0) @binding(2) var<uniform> params: RestoreParams;

@compute @workgroup_size(SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) local: u32) {
    let first = grid_index(grid, local, SIZE);
    for (var j = first; j < params.entries; j += grid_stride(grid, SIZE)) {
        let entry = entries[j];
        if (entry & LOCK) != 0u {
            let pivot = entry & ~LOCK;
            entries[j] = results[pivot] & ~LOCK;
            results[pivot] = LOCK | DONE | pivot;
        }
    }
}
