//! Copies `from_blocks` to `to_blocks`, 16 bytes at a time. One invocation per block. The host
//! measures with it how fast a device copies memory, to compare a search with that (`--profile`).
//! Reads `from_blocks`. Owns `to_blocks`: each block is written by one invocation.
#import lib/grid

const SIZE = 256u;

@group(0) @binding(0) var<storage> from_blocks: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read_write> to_blocks: array<vec4<u32>>;

@compute @workgroup_size(SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) local: u32) {
    let n = min(arrayLength(&from_blocks), arrayLength(&to_blocks));
    for (var i = grid_index(grid, local, SIZE); i < n; i += grid_stride(grid, SIZE)) {
        to_blocks[i] = from_blocks[i];
    }
}
