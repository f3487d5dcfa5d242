//! Breadth-first search by relaxation, with one invocation per edge (J. Smits, 2020, sections 4.2
//! to 4.5; `docs/bfs.md`, "By relaxation").
//!
//! checks: debug
//!
//! Reads `sources` and `targets`, the two ends of each edge. Shares, by atomics, `costs` and
//! `flags`.
#import bfs/lib/relax
#import lib/grid

@group(0) @binding(0) var<storage, read> sources: array<u32>;
@group(0) @binding(1) var<storage, read> targets: array<u32>;

@compute @workgroup_size(SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) local: u32) {
    let stride = grid_stride(grid, SIZE);
    let first = grid_index(grid, local, SIZE);
    for (var edge = first; edge < params.edges; edge += stride) {
        let source = sources[edge];
        clear_flag(source);
        if is_active(source) {
            relax(atomicLoad(&costs[source]), targets[edge], grid.count.x);
        }
    }
}
