//! Appends the ends of the rows of some states to those of earlier states, for rows that stay on
//! the device.
//!
//! Reads `row_ends`, which count from the first of these rows. Owns `offsets`: a word a row.
#import lib/grid

const SIZE = 256u;

struct AppendParams {
    /// How many rows there are.
    rows: u32,
    /// Where in `offsets` the first one goes.
    first: u32,
    /// How many branches the rows before them have.
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
