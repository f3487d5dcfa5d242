//! Numbering choices, at the end: replaces the first branch of each state by its first choice,
//! which bisection finds. One invocation per state (`gpu-explore/src/resident.rs`). Reads
//! `branch_offsets`, which ascend: the first branch of each choice, and the number of all branches.
//! Owns `offsets`.
#import lib/grid

const SIZE = 256u;

@group(0) @binding(0) var<storage, read> branch_offsets: array<u32>;
//@ owned offsets: an invocation reads and writes words of its own
@group(0) @binding(1) var<storage, read_write> offsets: array<u32>;

@compute @workgroup_size(SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) local: u32) {
    let n = arrayLength(&offsets);
    for (var i = grid_index(grid, local, SIZE); i < n; i += grid_stride(grid, SIZE)) {
        offsets[i] = choice_at(offsets[i]);
    }
}

/// Returns the choice that begins at a branch, or the number of choices after the last one.
fn choice_at(branch: u32) -> u32 {
    var low = 0u;
    var high = arrayLength(&branch_offsets) - 1u;
    while low < high {
        let middle = low + (high - low) / 2u;
        if branch_offsets[middle] < branch {
            low = middle + 1u;
        } else {
            high = middle;
        }
    }
    return low;
}
