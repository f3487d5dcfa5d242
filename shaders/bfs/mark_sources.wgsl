//! Sets the word of each source of a breadth-first search to a value: its distance, or its flag.
//! One invocation per source.
//! Reads `sources`, which are distinct. Owns the words that belong to them.
#import lib/grid

const SIZE = 256u;

struct MarkParams {
    value: u32,
}

//@ distinct sources: the host names no source twice
@group(0) @binding(0) var<storage, read> sources: array<u32>;
@group(0) @binding(1) var<storage, read_write> words: array<u32>;
@group(0) @binding(2) var<uniform> params: MarkParams;

@compute @workgroup_size(SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) local: u32) {
    let n = arrayLength(&sources);
    for (var i = grid_index(grid, local, SIZE); i < n; i += grid_stride(grid, SIZE)) {
        words[sources[i]] = params.value;
    }
}
