//! Numbering choices, last pass: writes the first branch of each choice, and removes the marks of
//! first branches from the targets. One workgroup per block of branches. Reads `sums`: for each
//! block, the number of choices that begin before it. Owns `targets`, and one word per choice of
//! `branch_offsets`.
#import explore/lib/begins
#import explore/lib/control
#import explore/lib/params
#import lib/grid
#import lib/scan

//@ owned targets: each invocation reads and writes its own range in each block
@group(0) @binding(0) var<storage, read_write> targets: array<u32>;
@group(0) @binding(1) var<storage, read> sums: array<u32>;
//@ disjoint branch_offsets: `sums` says how many choices come before those that a block begins
@group(0) @binding(2) var<storage, read_write> branch_offsets: array<u32>;
@group(0) @binding(3) var<uniform> params: BeginsParams;

@compute @workgroup_size(SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) local: u32) {
    let n = arrayLength(&targets);
    let blocks = (n + BLOCK - 1u) / BLOCK;
    for (var block = grid_index(grid, 0u, 1u); block < blocks; block += grid_stride(grid, 1u)) {
        let begin = min(block * BLOCK + local * EACH, n);
        let end = min(begin + EACH, n);
        var own = 0u;
        for (var i = begin; i < end; i++) {
            own += targets[i] / BEGINS;
        }
        var choice = sums[params.first_block + block] + sum_through(local, own) - own;
        for (var i = begin; i < end; i++) {
            let word = targets[i];
            if word >= BEGINS {
                branch_offsets[choice] = params.first_branch + i;
                choice++;
                targets[i] = word & ~BEGINS;
            }
        }
    }
}
