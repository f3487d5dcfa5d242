//! The first half of a dense iteration of a breadth-first search: marks the states of the next
//! level (`docs/bfs.md`, "Dense frontiers").
//!
//!     top down    all workgroups follow the edges of the frontier
//!     bottom up   all workgroups look for unreached states with an edge from the frontier
//!
//! Any invocation may mark a state, any number of times: `bfs/collect` handles each state once.
//!
//! flags: TRANSPOSED
//! checks: debug
//!
//! Reads `targets`, `queue`, `seen` and, with TRANSPOSED, `fresh`, `back_offsets` and
//! `back_targets`. Shares, by atomics, `reached`.
#import bfs/lib/dense
#import bfs/lib/follow
#import bfs/lib/bottom_up
#import lib/grid

@compute @workgroup_size(SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) local: u32) {
    let frontier = load_frontier();
    if loop_now.x == 0u || ends_dense(frontier) {
        return;
    }
#ifdef TRANSPOSED
    if goes_bottom_up(frontier) {
        bottom_up(grid.workgroup.x, grid.count.x, local);
        return;
    }
#endif
    follow_queue(frontier, grid.workgroup.x, grid.count.x, local);
}
