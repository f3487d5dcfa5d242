//! Names the cycles that have splitters, each after one of its splitters: each splitter on a cycle
//! names the states up to the next one (fifth step in `functional/walk`). One invocation per block
//! of states.
//! Reads `ahead`, `on_cycle`, `successors`. Shares `regions`, by atomics.
#import lib/grid
#import functional/lib/path
#import functional/lib/regions

/// For each block's splitter the block of the splitter that it points at, or NONE; and the least
/// block of a splitter on the way there: on a cycle, the least of all splitters of the cycle.
@group(0) @binding(3) var<storage, read> ahead: array<u32>;
@group(0) @binding(4) var<storage, read> on_cycle: array<u32>;

@compute @workgroup_size(SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) local: u32) {
    for (var i = grid_index(grid, local, SIZE); i < params.blocks; i += grid_stride(grid, SIZE)) {
        if on_cycle[i] == 0u {
            continue;
        }
        let word = params.component_mark | splitter_of(ahead[2u * i + 1u]);
        var at = splitter_of(i);
        loop {
            atomicStore(&regions[at], word);
            at = successors[at];
            if is_splitter(at) {
                break;
            }
        }
    }
}
