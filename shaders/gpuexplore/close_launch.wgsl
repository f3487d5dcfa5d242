//! Runs after each launch of `expand`: decides whether there is another launch, or the host has to
//! make room, or the search is complete. Only one invocation has work. Owns `counters`, of which
//! the host reads the last state.
#import gpuexplore/lib/counters
#import gpuexplore/lib/params
#import lib/grid
#import lib/loop

//@ disjoint counters: one invocation touches them
@group(0) @binding(0) var<storage, read_write> counters: array<u32>;
@group(0) @binding(1) var<uniform> params: GpuexploreParams;

@compute @workgroup_size(SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) local: u32) {
    if grid_index(grid, local, SIZE) != 0u {
        return;
    }
    let expanded = counters[EXPANDED];
    let is_stuck = (counters[NO_ROOM] | counters[HOMELESS] | counters[WIDEST]) != 0u;
    if !is_stuck {
        if expanded == counters[EXPANDED_BEFORE] {
            counters[FINISHED] = 1u;
        } else if counters[STORED] < params.enough_vectors {
            loop_again(grid.count.x);
        }
    }
    counters[EXPANDED_BEFORE] = expanded;
    // Reports the progress to observers.
    atomicStore(&loop_next.words[0], counters[STORED]);
    atomicStore(&loop_next.words[1], expanded);
}
