//! Marks the splitters on cycles. After more steps than there are splitters, each pointer leads to
//! a splitter on a cycle, and each of these is the target of a pointer (fourth step in
//! `functional/walk`). One invocation per block of states.
//! Reads `ahead`. Shares `on_cycle`, by atomics.
#import lib/grid
#import functional/lib/params

/// For each block's splitter the block of the splitter that it points at, or NONE; and the least
/// block among its own and those of the splitters on the way to that one.
@group(0) @binding(0) var<storage, read> ahead: array<u32>;
@group(0) @binding(1) var<storage, read_write> on_cycle: array<atomic<u32>>;

@compute @workgroup_size(SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) local: u32) {
    for (var i = grid_index(grid, local, SIZE); i < params.blocks; i += grid_stride(grid, SIZE)) {
        let seen = ahead[2u * i];
        if seen != NONE {
            atomicStore(&on_cycle[seen], 1u);
        }
    }
}
