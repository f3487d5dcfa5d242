//! Eliminates the states to which a policy leads no remaining state (`elimination` of Barnat,
//! Bauch, Brim and Češka, 2011). At the end of the loop, only states on cycles remain. One
//! invocation per state.
//! Owns `leaders`, a word per state. Shares `entries` (atomic): how many remaining states lead to
//! each. Reads `next_states`.
#import lib/grid
#import lib/loop
#import cycle_mean/lib/paper
#import cycle_mean/lib/params

@group(0) @binding(0) var<storage, read> next_states: array<u32>;
@group(0) @binding(1) var<storage, read_write> leaders: array<u32>;
@group(0) @binding(2) var<storage, read_write> entries: array<atomic<u32>>;

@compute @workgroup_size(SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) local: u32) {
    for (var i = grid_index(grid, local, SIZE); i < params.states; i += grid_stride(grid, SIZE)) {
        if leaders[i] != REMAINS || atomicLoad(&entries[i]) != 0u {
            continue;
        }
        leaders[i] = ELIMINATED;
        // The invocation that takes the last one away requests the iteration that eliminates it.
        if atomicSub(&entries[next_states[i]], 1u) == 1u {
            loop_again(grid.count.x);
        }
    }
}
