//! A batch: all workgroups share the rows of a frontier, and each explores several levels from its
//! rows, with barriers between its own levels, but without waiting for other workgroups.
//!
//! So a workgroup may claim a state for a level that is too large, because the workgroup that
//! has a shorter path to it has not come so far. Then the latter claims it for its level, and goes
//! on from it, too: whoever lowers a distance adds the row. After the batch, the distances up to
//! its last level are exact (`docs/bfs.md`).
//!
//! The rows of states of the last level go to the queue, as the next frontier. Rows of nearer
//! states for which a workgroup has no room are left as early rows. Then the next iteration
//! explores these, up to the same level, and adds to the same frontier.
#import bfs/lib/expand

/// A workgroup takes at least so many rows.
const BATCH_SHARE = 32u;
/// A frontier of fewer rows, or of more, is not explored by batches.
const BATCH_ROWS = 48u;
const MOST_BATCH_ROWS = 49152u;
/// A frontier hardly grows in a level if it grows by at most one in this many of its rows.
const GROWTH = 4u;

fn has_early_rows(frontier: Frontier) -> bool {
    return frontier.early_head != frontier.early_end;
}

/// How many levels to explore at a time. Their number doubles as long as frontiers hardly grow and
/// few states are claimed twice.
fn span_of(frontier: Frontier) -> u32 {
    let last = max(loop_now.words[CONTROL_SPAN], 1u);
    if has_early_rows(frontier) {
        return last;
    }
    let rows = frontier.end - frontier.head;
    if rows < BATCH_ROWS || rows > MOST_BATCH_ROWS {
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

/// A row, and the distance of its state.
struct Leveled {
    row: vec2<u32>,
    level: u32,
}

/// All workgroups: each explores its share of rows up to the level `last`.
fn batch(frontier: Frontier, last: u32, group: u32, groups: u32, local: u32) {
    let is_early = has_early_rows(frontier);
    var rows = frontier.end - frontier.head;
    if is_early {
        rows = frontier.early_end - frontier.early_head;
    }
    let share = clamp((rows + groups - 1u) / groups, BATCH_SHARE, SIZE);
    for (var next = group * share; next < rows; next += groups * share) {
        var own = Leveled(vec2(0u), frontier.level);
        if local < share && local < rows - next {
            if is_early {
                own = early_row(frontier, frontier.early_head + next + local);
            } else {
                own.row = queue[frontier.head + next + local];
            }
        }
        explore_share(frontier, last, own, local);
    }
}

fn early_row(frontier: Frontier, at: u32) -> Leveled {
    let packed = early[at];
    let length = packed.y & ((1u << LENGTH_BITS) - 1u);
    let below = packed.y >> LENGTH_BITS;
    return Leveled(vec2(packed.x, packed.x + length), frontier.level - below);
}

/// Explores a share of rows, one for each invocation that has one, and the rows that are found,
/// up to the level `last`. A barrier.
fn explore_share(frontier: Frontier, last: u32, own: Leveled, local: u32) {
    let is_early = has_early_rows(frontier);
    var first = frontier.level;
    if is_early {
        first -= loop_now.words[CONTROL_SPAN];
    }
    var half = 0u;
    var rows = 0u;
    var has_longer_rows = false;
    for (var level = first; level < last; level += 1u) {
        let below = last - 1u - level;
        let how = Exploration(level, true, Collected(HALF - half, HALF, below));
        if level == first || is_early {
            var row = select(vec2(0u), own.row, own.level == level);
            if is_short(row) {
                visit_short(frontier, how, row);
                row = vec2(0u);
            }
            expand(frontier, how, row, local);
        }
        explore_found(frontier, how, half, rows, has_longer_rows, local);
        half = HALF - half;
        if below == 0u {
            break;
        }
        workgroupBarrier();
        if local == 0u {
            next_level = vec2(atomicLoad(&found_len), atomicLoad(&found_edges));
            forget_found();
        }
        let next = workgroupUniformLoad(&next_level);
        rows = min(next.x, HALF);
        has_longer_rows = (next.y & HAS_LONGER_ROWS) != 0u;
        if rows == 0u && !is_early {
            break;
        }
    }
    spill(frontier, Collected(half, HALF, 0u), 0u, local);
}
