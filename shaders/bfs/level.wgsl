//! A sparse iteration of a breadth-first search by levels: one level or, if levels are narrow or
//! hardly grow, many (`docs/bfs.md`, "By levels"). Workgroups share the rows of the frontier.
//!
//!     top down    all workgroups follow the edges of the frontier
//!     batch       all workgroups do, and each goes on from what it finds, for some levels
//!     narrow      one workgroup alone follows the edges of a small frontier, level by level
//!
//! A state is claimed by one atomic operation. The invocation whose operation lowers its distance
//! adds its row. Top down, an iteration explores all states of one level, and claims states of the
//! next one. So distances are exact, whatever the order of invocations.
//!
//! checks: debug
//!
//! Reads `offsets` and `targets`. Shares, by atomics, `distances`. In `queue` and `early` an
//! iteration reads entries of earlier ones, and appends others, every place once.
#import bfs/lib/batch
#import lib/grid

@compute @workgroup_size(SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) local: u32) {
    let frontier = load_frontier();
    if loop_now.x == 0u {
        return;
    }
    let is_first = grid.workgroup.x == 0u;
    let is_early = has_early_rows(frontier);
    if loop_now.words[CONTROL_LOST] != 0u {
        if is_first && local == 0u {
            atomicStore(&loop_next.words[CONTROL_LOST], 1u);
        }
        return;
    }
    let span = span_of(frontier);
    // A batch takes less time than dense levels, even if it has several times as many edges.
    let edges_for_dense = frontier.edges / select(1u, BATCH_EDGES, span > 1u);
    let is_for_dense = is_dense(edges_for_dense) && !is_early;
    if is_for_dense || (span > 1u && params.dense_groups != 0u) {
        if is_first && local == 0u {
            hand_over_sparse(frontier, is_for_dense);
        }
        return;
    }
    let rows = frontier.end - frontier.head;
    var next = Progress(frontier.level + 1u, frontier.edges, rows);
    var ahead = alone(frontier);
    if is_early {
        next = Progress(frontier.level, 0u, 0u);
        ahead = batch(next.level, frontier.early_end - frontier.early_head, grid.count.x);
    } else if span > 1u {
        // About as many edges again for each of the other levels.
        let edges = min(frontier.edges, params.edges / span) * span;
        next = Progress(frontier.level + span, edges, rows);
        ahead = batch(next.level, rows, grid.count.x);
    }
    if ahead.is_batch || is_narrow(rows, frontier.edges) {
        let reached = explore_ahead(frontier, ahead, grid.workgroup.x, grid.count.x, local);
        if !ahead.is_batch {
            next = reached;
        }
    } else {
        top_down(frontier, grid.workgroup.x, grid.count.x, local);
    }
    if is_first && local == 0u {
        let explored = min(frontier.explored, params.edges) + min(next.edges, params.edges);
        commit(frontier, next.level, explored);
        if is_early {
            carry(frontier);
        }
        atomicStore(&loop_next.words[CONTROL_EARLY_HEAD], frontier.early_end);
        atomicStore(&loop_next.words[CONTROL_SPAN], span);
        atomicStore(&loop_next.words[CONTROL_ROWS_BEFORE], next.rows);
        atomicStore(&loop_next.words[CONTROL_SPARSE_LEVELS], SPARSE_LEVELS);
    }
}

/// The frontier that the next iteration adds to, or explores, begins with these rows. One
/// invocation calls it.
fn carry(frontier: Frontier) {
    atomicStore(&loop_next.words[CONTROL_HEAD], frontier.head);
    atomicStore(&loop_next.words[CONTROL_CARRIED], frontier.end - frontier.head);
    atomicAdd(&loop_next.words[CONTROL_EDGES], frontier.edges);
    if frontier.head != frontier.end {
        loop_again(params.most_groups);
    }
}

/// Leaves a frontier to a dense iteration, if it is for one, or to another loop, which has batches.
/// One invocation calls it.
fn hand_over_sparse(frontier: Frontier, is_for_dense: bool) {
    hand_over(frontier);
    let before = loop_now.words[CONTROL_ROWS_BEFORE];
    atomicStore(&loop_next.words[CONTROL_SPAN], loop_now.words[CONTROL_SPAN]);
    atomicStore(&loop_next.words[CONTROL_ROWS_BEFORE], before);
    atomicStore(&loop_next.words[CONTROL_LOWERED], loop_now.words[CONTROL_LOWERED]);
    if is_for_dense {
        loop_again(params.dense_groups);
    }
}
