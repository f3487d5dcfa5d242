//! The second half of an iteration of pivot selection among candidates (2016 paper, 5.3,
//! optimisation 2): each state that did not compete looks for the pivot of its region. In a turn,
//! only one region hashes to an entry, and locks it, so the entry names this pivot. One invocation
//! per state.
//!
//! Reads `entries`. Owns `results`, a word per invocation.
#import lib/grid
#import lib/loop
#import fbt/lib/pivots
#import fbt/lib/results

const SIZE = 256u;

@group(0) @binding(0) var<storage, read_write> results: array<u32>;
@group(0) @binding(1) var<storage, read> entries: array<u32>;
@group(0) @binding(2) var<uniform> params: SelectParams;

@compute @workgroup_size(SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) local: u32) {
    for (var i = grid_index(grid, local, SIZE); i < params.states; i += grid_stride(grid, SIZE)) {
        let info = results[i];
        if !is_active(info) || (info & LOCK) != 0u {
            continue;
        }
        let hash = hash_of(info);
        let position = hash % params.all_entries;
        let is_bound = position >= params.first_entry && position < params.end_entry;
        if hash / params.all_entries != turn_now() || !is_bound {
            continue;
        }
        let entry = entries[position - params.first_entry];
        if (entry & LOCK) != 0u {
            results[i] = dealt_with(entry);
        }
    }
}
