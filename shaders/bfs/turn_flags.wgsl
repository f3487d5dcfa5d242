//! Runs between two iterations of a search by relaxation with two arrays of flags: copies the
//! second array to the first, and clears it (J. Smits, 2020, section 4.4). One invocation per
//! vertex.
//! Owns `flags`: an invocation reads and writes those of its vertices.
#import lib/grid

const SIZE = 256u;

struct TurnParams {
    vertices: u32,
}

//@ assume arrayLength(&flags) >= 2 * params.vertices: each vertex has two flags
//@ owned flags: an invocation reads and writes the two flags of its vertices
@group(0) @binding(0) var<storage, read_write> flags: array<u32>;
@group(0) @binding(1) var<uniform> params: TurnParams;

@compute @workgroup_size(SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) local: u32) {
    let stride = grid_stride(grid, SIZE);
    let first = grid_index(grid, local, SIZE);
    for (var vertex = first; vertex < params.vertices; vertex += stride) {
        flags[vertex] = flags[params.vertices + vertex];
        flags[params.vertices + vertex] = 0u;
    }
}
