//! Numbering choices, first pass: counts, for each block of branches, those that begin a choice.
//! One workgroup per block. Prefix sums of the counts follow (`gpu-explore/src/resident.rs`). Reads
//! `targets`. Owns `sums`: a word per block.
#import explore/lib/begins
#import explore/lib/control
#import explore/lib/params
#import lib/grid
#import lib/scan

@group(0) @binding(0) var<storage, read> targets: array<u32>;
@group(0) @binding(1) var<storage, read_write> sums: array<u32>;
@group(0) @binding(2) var<uniform> params: BeginsParams;

@compute @workgroup_size(SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) local: u32) {
    let n = arrayLength(&targets);
    let blocks = (n + BLOCK - 1u) / BLOCK;
    for (var block = grid_index(grid, 0u, 1u); block < blocks; block += grid_stride(grid, 1u)) {
        let end = min((block + 1u) * BLOCK, n);
        var own = 0u;
        for (var i = block * BLOCK + local; i < end; i += SIZE) {
            own += targets[i] / BEGINS;
        }
        let all = sum_through(local, own);
        if local == SIZE - 1u {
            sums[params.first_block + block] = all;
        }
    }
}
