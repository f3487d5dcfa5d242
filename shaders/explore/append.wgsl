//! Appends the ends of the rows of some states to those of earlier states, if the graph stays on
//! the device (`gpu-explore/src/resident.rs`). One invocation per row.
//!
//! Reads `row_ends`, which count from the first of these rows. Owns `offsets`: a word per row.
#import lib/grid

const SIZE = 256u;

struct AppendParams {
    /// The number of rows.
    rows: u32,
    /// The place in `offsets` of the first one.
    first: u32,
    /// The number of branches of the rows before them.
    before: u32,
}

@group(0) @binding(0) var<storage, read> row_ends: array<u32>;
@group(0) @binding(1) var<storage, read_write> offsets: array<u32>;
@group(0) @binding(2) var<uniform> params: AppendParams;

@compute @workgroup_size(SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) local: u32) {
    for (var i = grid_index(grid, local, SIZE); i < params.rows; i += grid_stride(grid, SIZE)) {
        offsets[params.first + i] = params.before + row_ends[i];
    }
}
