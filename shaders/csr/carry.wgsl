//! The second pass of prefix sums (`gpu::prefix_sums`): adds to each value the sum of all values in
//! earlier blocks, which are the prefix sums of what `csr/sum` has found. One invocation per value.
//! Reads `sums`. Owns `values`.
#import csr/lib/prefix_sum
#import lib/grid

@group(0) @binding(0) var<storage, read_write> values: array<u32>;
@group(0) @binding(1) var<storage, read> sums: array<u32>;

@compute @workgroup_size(SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) local: u32) {
    let n = arrayLength(&values);
    for (var i = grid_index(grid, local, SIZE); i < n; i += grid_stride(grid, SIZE)) {
        values[i] += sums[i / BLOCK];
    }
}
