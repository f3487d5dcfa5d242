//! A batch: all workgroups share the rows of a frontier, and each explores several levels from its
//! rows, with barriers between its own levels, but without waiting for other workgroups
//! (`docs/bfs.md`, "Batches of levels", proves that distances are exact afterwards).
//!
//! So a workgroup may come to a state by a detour, and claim it for a level that is too large,
//! before another workgroup comes by a shorter path. Then the latter claims it for its level, and
//! goes on from it, too: whoever lowers a distance adds the row.
//!
//! The rows of states of the last level go to the queue, as the next frontier. Rows of nearer
//! states for which a workgroup has no room are left as early rows. Then the next iteration
//! explores these, up to the same level, and adds to the same frontier.
#import bfs/lib/levels

/// The smallest number of rows that a workgroup takes.
const BATCH_SHARE = 16u;
/// The smallest and the largest number of rows of a frontier that is explored by batches.
const BATCH_ROWS = 48u;
const MAX_BATCH_ROWS = 49152u;
/// A batch may have this many times as many edges as a frontier that is explored level by level.
const BATCH_EDGES = 4u;
/// A frontier hardly grows in a level if it grows by at most one in this many of its rows.
const GROWTH = 4u;

/// The number of levels to explore at a time. It doubles as long as frontiers hardly grow and
/// few states are claimed twice.
fn span_of(frontier: Frontier) -> u32 {
    let last = max(loop_now.words[CONTROL_SPAN], 1u);
    if has_early_rows(frontier) {
        return last;
    }
    let rows = frontier.end - frontier.head;
    if rows < BATCH_ROWS || rows > MAX_BATCH_ROWS {
        return 1u;
    }
    let before = loop_now.words[CONTROL_ROWS_BEFORE];
    let lowered = loop_now.words[CONTROL_LOWERED];
    let explored = last * before;
    if rows > before + before / GROWTH * min(last, 4u) || lowered > explored / 2u {
        return max(last / 2u, 1u);
    }
    if lowered > explored / 4u {
        return last;
    }
    return max(min(2u * last, params.most_span), 1u);
}

/// Returns the limits of a batch up to the level `last`, for this many rows and workgroups.
fn batch(last: u32, rows: u32, groups: u32) -> Ahead {
    return Ahead(last, clamp((rows + groups - 1u) / groups, BATCH_SHARE, SIZE), true);
}
