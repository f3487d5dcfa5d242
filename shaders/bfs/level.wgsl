//! A sparse iteration of a breadth-first search by levels: one level of the search or, where levels
//! are narrow, many.
//!
//!     top down    all workgroups follow the edges of the frontier
//!     narrow      one workgroup alone follows the edges of a small frontier, level by level
//!
//! A state is claimed by one atomic operation. The invocation whose operation finds it
//! unreached puts it into the queue. An iteration explores all states of one level, and claims
//! states of the next one. So distances are exact, whatever the order of invocations
//! (`docs/bfs.md`).
//!
//! checks: debug
//!
//! Reads `offsets` and `targets`. Shares, by atomics, `distances`. In `queue` an iteration reads
//! entries of earlier ones, and appends others, every place once.
#import bfs/lib/expand
#import lib/grid

@compute @workgroup_size(SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) local: u32) {
    let frontier = load_frontier();
    if loop_now.x == 0u {
        return;
    }
    let is_first = grid.workgroup.x == 0u;
    if is_dense(frontier.edges) {
        if is_first && local == 0u {
            hand_over(frontier);
            loop_again(params.dense_groups);
        }
        return;
    }
    var progress = Progress(frontier.level + 1u, frontier.edges);
    if is_narrow(frontier.end - frontier.head, frontier.edges) {
        if is_first {
            progress = narrow(frontier, local);
        }
    } else {
        top_down(frontier, grid.workgroup.x, grid.count.x, local);
    }
    if is_first && local == 0u {
        commit(frontier, progress.level, frontier.explored + progress.edges);
        atomicStore(&loop_next.words[CONTROL_SPARSE_LEVELS], SPARSE_LEVELS);
    }
}
