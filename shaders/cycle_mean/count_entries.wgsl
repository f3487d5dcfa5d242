//! Counts how many states a policy leads to each state (`GpiPreprocess` of Barnat, Bauch, Brim and
//! Češka, 2011), before `eliminate`. One invocation per state.
//!
//! Owns `leaders`, a word per state. Shares `entries` (atomic), the counts, which are 0 before.
//! Reads `next_states`.
#import lib/grid
#import cycle_mean/lib/paper
#import cycle_mean/lib/params

@group(0) @binding(0) var<storage, read> next_states: array<u32>;
@group(0) @binding(1) var<storage, read_write> leaders: array<u32>;
@group(0) @binding(2) var<storage, read_write> entries: array<atomic<u32>>;

@compute @workgroup_size(SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) local: u32) {
    for (var i = grid_index(grid, local, SIZE); i < params.states; i += grid_stride(grid, SIZE)) {
        let next = next_states[i];
        leaders[i] = select(REMAINS, NONE, next == NONE);
        if next != NONE {
            atomicAdd(&entries[next], 1u);
        }
    }
}
