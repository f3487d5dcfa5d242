//! Inserts all vectors of a table of buckets into a larger, empty one. One invocation per place for
//! a vector in the old table. Reads `old_vectors`. Shares `vectors` and `counters`, by atomic
//! operations.
#import gpuexplore/lib/buckets
#import gpuexplore/lib/counters
#import gpuexplore/lib/params
#import gpuexplore/lib/placed
#import lib/grid

@group(0) @binding(2) var<storage, read_write> counters: array<atomic<u32>>;
@group(0) @binding(3) var<uniform> params: GpuexploreParams;
@group(0) @binding(4) var<storage, read> old_vectors: array<u32>;

/// The words of a state.
override WORDS: u32;

@compute @workgroup_size(SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) local: u32) {
    let n = arrayLength(&old_vectors) / BUCKET * vectors_of_bucket();
    for (var i = grid_index(grid, local, SIZE); i < n; i += grid_stride(grid, SIZE)) {
        let at = address_of(i);
        let first = old_vectors[at];
        if first != EMPTY {
            vector[0] = first & ~OPEN;
            for (var word = 1u; word < WORDS; word++) {
                vector[word & 7u] = old_vectors[at + word];
            }
            if place_vector(first & OPEN, false).outcome == IS_HOMELESS {
                atomicStore(&counters[HOMELESS], 1u);
            }
        }
    }
}
