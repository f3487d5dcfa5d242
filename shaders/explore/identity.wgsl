//! Sets each word to its own position: the first branch of each choice, if each choice has one
//! branch.
//! One invocation per choice. Owns `offsets`.
#import lib/grid

const SIZE = 256u;

@group(0) @binding(0) var<storage, read_write> offsets: array<u32>;

@compute @workgroup_size(SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) local: u32) {
    let n = arrayLength(&offsets);
    for (var i = grid_index(grid, local, SIZE); i < n; i += grid_stride(grid, SIZE)) {
        offsets[i] = i;
    }
}
