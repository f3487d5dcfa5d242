//! An iteration of a breadth-first search by levels: one level of the search or, where levels are
//! narrow, many.
//!
//! A state is claimed by one atomic operation, and the invocation which is told that it was
//! unreached queues it. An iteration explores the states of one level, all of them, and claims
//! states for the next one; so the distances are exact whatever the order of invocations
//! (`docs/bfs.md`).
//!
//! flags: TRANSPOSED
//! checks: debug
//!
//! Reads `offsets`, `targets` and, with TRANSPOSED, `back_offsets` and `back_targets`. Shares, by
//! atomics, `distances`. In `queue` an iteration reads what earlier ones wrote, and writes behind
//! that, every place once.
#import bfs/lib/expand
#import bfs/lib/bottom_up
#import lib/grid

@compute @workgroup_size(SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) local: u32) {
    let frontier = load_frontier();
    if loop_now.x == 0u {
        return;
    }
    var progress = Progress(frontier.level + 1u, frontier.edges);
    if frontier.is_bottom_up {
#ifdef TRANSPOSED
        bottom_up(frontier, grid.workgroup.x, grid.count.x, local);
#endif
    } else if is_narrow(frontier.end - frontier.head, frontier.edges) {
        if grid.workgroup.x == 0u {
            progress = narrow(frontier, local);
        }
    } else {
        top_down(frontier, grid.workgroup.x, grid.count.x, local);
    }
    if grid.workgroup.x == 0u && local == 0u {
        commit(frontier, progress.level, frontier.explored + progress.edges);
    }
}
