//! Marks the splitters on cycles (`functional/walk.wgsl`): the targets of pointers of splitters
//! after more steps than there are splitters.
//!
//! Reads `ahead`. Shares `on_cycle`, by atomics.
#import lib/grid
#import functional/lib/params

/// For each block's splitter the block of the one that it sees, or NONE; and the least block among
/// its own and those on the way there.
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
