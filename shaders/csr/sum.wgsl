//! The first pass of prefix sums (`gpu::prefix_sums`): each value becomes the sum of those before
//! it in its block of BLOCK values. One workgroup per block.
//! Owns `values`; and `sums`, which has the sum of all values of each block.
#import csr/lib/prefix_sum
#import lib/grid
#import lib/scan

//@ owned values: each invocation reads and writes its own range in each block
@group(0) @binding(0) var<storage, read_write> values: array<u32>;
@group(0) @binding(1) var<storage, read_write> sums: array<u32>;

@compute @workgroup_size(SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) local: u32) {
    let n = arrayLength(&values);
    let blocks = (n + BLOCK - 1u) / BLOCK;
    for (var block = grid_index(grid, 0u, 1u); block < blocks; block += grid_stride(grid, 1u)) {
        let first = (block * SIZE + local) * EACH;
        let end = min(first + EACH, n);
        var own = 0u;
        for (var i = first; i < end; i++) {
            own += values[i];
        }
        var before = sum_through(local, own) - own;
        for (var i = first; i < end; i++) {
            let value = values[i];
            values[i] = before;
            before += value;
        }
        if local == SIZE - 1u {
            sums[block] = before;
        }
    }
}
