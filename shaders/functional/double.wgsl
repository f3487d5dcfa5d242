//! Doubles the pointers of splitters (`functional/walk.wgsl`).
//!
//! Reads `ahead`. Owns `further`, an entry a block.
#import lib/grid
#import functional/lib/params

//@ disjoint further: 2 * i does not wrap (blocks are fewer than states); one invocation handles i

/// For each block's splitter the block of the one that it sees, or NONE; and the least block among
/// its own and those on the way there.
@group(0) @binding(0) var<storage, read> ahead: array<u32>;
@group(0) @binding(1) var<storage, read_write> further: array<u32>;

@compute @workgroup_size(SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) local: u32) {
    for (var i = grid_index(grid, local, SIZE); i < params.blocks; i += grid_stride(grid, SIZE)) {
        var seen = ahead[2u * i];
        var least = ahead[2u * i + 1u];
        if seen != NONE {
            least = min(least, ahead[2u * seen + 1u]);
            seen = ahead[2u * seen];
        }
        further[2u * i] = seen;
        further[2u * i + 1u] = least;
    }
}
