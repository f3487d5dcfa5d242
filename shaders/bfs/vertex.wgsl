//! Breadth-first search by relaxation, with one invocation per vertex, which relaxes its edges (J.
//! Smits, 2020, sections 3.3 and 4.1; `docs/bfs.md`, "By relaxation").
//!
//! checks: debug
//!
//! Reads `offsets` and `targets`. Shares, by atomics, `costs` and `flags`.
#import bfs/lib/relax
#import lib/grid

@group(0) @binding(0) var<storage, read> offsets: array<u32>;
@group(0) @binding(1) var<storage, read> targets: array<u32>;

@compute @workgroup_size(SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) local: u32) {
    let stride = grid_stride(grid, SIZE);
    let first = grid_index(grid, local, SIZE);
    for (var vertex = first; vertex < params.vertices; vertex += stride) {
        clear_flag(vertex);
        if !is_active(vertex) {
            continue;
        }
        let cost = atomicLoad(&costs[vertex]);
        if cost == INFINITE {
            continue;
        }
        let end = min(offsets[vertex + 1u], params.edges);
        for (var edge = offsets[vertex]; edge < end; edge += 1u) {
            relax(cost, targets[edge], grid.count.x);
        }
    }
}
