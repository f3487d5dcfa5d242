//! Inserts the numbers of all stored vectors into the slots of a larger, empty cuckoo table. Equal
//! vectors get only one entry. One invocation per vector.
//!
//! Reads `vectors`. Shares `slots` and `counters`, by atomic operations.
#import gpuexplore/lib/counters
#import gpuexplore/lib/cuckoo
#import gpuexplore/lib/params
#import gpuexplore/lib/placed
#import lib/grid

@group(0) @binding(2) var<storage, read_write> counters: array<atomic<u32>>;
@group(0) @binding(3) var<uniform> params: GpuexploreParams;

/// The words of a state.
override WORDS: u32;

@compute @workgroup_size(SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) local: u32) {
    let n = min(atomicLoad(&counters[STORED]), params.most_vectors);
    for (var i = grid_index(grid, local, SIZE); i < n; i += grid_stride(grid, SIZE)) {
        if load_vector(address_of(i)) && put_in_slot(i) == IS_HOMELESS {
            atomicStore(&counters[HOMELESS], 1u);
        }
    }
}
