//! Adds to the values of each block what the blocks before it hold (`sum.wgsl`).
//!
//! Reads `sums`. Owns `values`.
#import csr/lib/prefix_sum
#import lib/grid

@group(0) @binding(0) var<storage, read_write> values: array<u32>;
@group(0) @binding(1) var<storage, read> sums: array<u32>;

@compute @workgroup_size(SIZE)
fn main(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let n = arrayLength(&values);
    for (var i = grid_index(workgroup, count, local, SIZE); i < n; i += grid_stride(count, SIZE)) {
        values[i] += sums[i / BLOCK];
    }
}
