//! Counts how many states a policy leads to each state (`GpiPreprocess` of Barnat, Bauch, Brim and
//! Češka, 2011).
//!
//! Owns `leaders`, a word a state. Shares `entries` (atomic), the counts, which are 0 before. Reads
//! `next_states`.
#import lib/grid
#import cycle_mean/lib/paper
#import cycle_mean/lib/params

const SIZE = 256u;

@group(0) @binding(0) var<storage, read> next_states: array<u32>;
@group(0) @binding(1) var<storage, read_write> leaders: array<u32>;
@group(0) @binding(2) var<storage, read_write> entries: array<atomic<u32>>;
@group(0) @binding(3) var<uniform> params: HowardParams;

@compute @workgroup_size(SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) local: u32) {
    for (var i = grid_index(grid, local, SIZE); i < params.states; i += grid_stride(grid, SIZE)) {
        let next = next_states[i];
        if next == NONE {
            leaders[i] = NONE;
            continue;
        }
        leaders[i] = REMAINS;
        atomicAdd(&entries[next], 1u);
    }
}
