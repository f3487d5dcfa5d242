//! Counts the rows of 2^k to 2^(k+1) - 1 entries, for each k. Empty rows are not counted. So the
//! host knows whether a graph is functional, or has long rows. One invocation per row. Reads
//! `offsets`. Shares, by atomics, `by_length`.
#import lib/grid

const SIZE = 256u;

@group(0) @binding(0) var<storage, read> offsets: array<u32>;
@group(0) @binding(1) var<storage, read_write> by_length: array<atomic<u32>, 32>;

var<workgroup> here: array<atomic<u32>, 32>;

@compute @workgroup_size(SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) local: u32) {
    let rows = arrayLength(&offsets) - 1u;
    for (var i = grid_index(grid, local, SIZE); i < rows; i += grid_stride(grid, SIZE)) {
        let length = offsets[i + 1u] - offsets[i];
        if length != 0u {
            atomicAdd(&here[firstLeadingBit(length)], 1u);
        }
    }
    workgroupBarrier();
    if local < 32u {
        let rows_here = atomicLoad(&here[local]);
        if rows_here != 0u {
            atomicAdd(&by_length[local], rows_here);
        }
    }
}
