//! Doubles the pointers of splitters (third step in `functional/walk`): a splitter that points at t
//! then points where t points. One invocation per block of states.
//! Reads `ahead`. Owns `further`, an entry per block.
#import lib/grid
#import functional/lib/params

//@ disjoint further: 2 * i does not wrap (blocks are fewer than states); one invocation handles i

/// For each block's splitter the block of the splitter that it points at, or NONE; and the least
/// block among its own and those of the splitters on the way to that one.
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
