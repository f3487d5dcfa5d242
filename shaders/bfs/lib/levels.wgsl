//! A workgroup explores level after level, from its share of a frontier, with barriers between its
//! own levels, but without waiting for other workgroups.
//!
//!     narrow    one workgroup alone explores a narrow frontier, as long as it stays narrow
//!     batch     all workgroups share the rows of a frontier, up to a level (`bfs/lib/batch`)
//!
//! Both go through the same code. If there were more than one copy of it, compilers would call its
//! functions, which takes longer than all else.
#import bfs/lib/expand

const_assert SIZE < HALF;

/// The limits of an exploration.
struct Ahead {
    /// The first level whose states are not explored.
    last: u32,
    /// The largest number of rows that a workgroup takes at a time.
    share: u32,
    /// Whether this is a batch, and not a narrow frontier.
    is_batch: bool,
}

/// The progress of a workgroup.
struct Progress {
    level: u32,
    /// The number of edges that were explored.
    edges: u32,
    /// The rows of the last level.
    rows: u32,
}

/// A row, and the distance of its state.
struct Leveled {
    row: vec2<u32>,
    level: u32,
}

/// Returns the limits for one workgroup alone: the levels that it may explore in an iteration.
fn alone(frontier: Frontier) -> Ahead {
    let last = frontier.level + min(params.levels, UNREACHED - frontier.level);
    return Ahead(last, HALF, false);
}

fn has_early_rows(frontier: Frontier) -> bool {
    return frontier.early_head != frontier.early_end;
}

/// Each workgroup explores its shares of the frontier, or of early rows, if there are any.
fn explore_ahead(
    frontier: Frontier,
    ahead: Ahead,
    group: u32,
    groups: u32,
    local: u32,
) -> Progress {
    let is_early = has_early_rows(frontier);
    var rows = frontier.end - frontier.head;
    if is_early {
        rows = frontier.early_end - frontier.early_head;
    }
    var progress = Progress(ahead.last, 0u, 0u);
    for (var next = group * ahead.share; next < rows; next += groups * ahead.share) {
        var taken = min(ahead.share, rows - next);
        var own = Leveled(vec2(0u), 0u);
        if is_early {
            if local < taken {
                own = early_row(frontier, frontier.early_head + next + local);
            }
            taken = 0u;
        }
        for (var i = local; i < taken; i += SIZE) {
            found[i] = queue[frontier.head + next + i];
        }
        progress = explore_share(frontier, ahead, taken, own, local);
    }
    return progress;
}

fn early_row(frontier: Frontier, at: u32) -> Leveled {
    let packed = early[at];
    let length = packed.y & ((1u << LENGTH_BITS) - 1u);
    let below = packed.y >> LENGTH_BITS;
    return Leveled(vec2(packed.x, packed.x + length), frontier.level - below);
}

/// Explores the first rows of `found`, or each invocation's early row when its level has come, and
/// the rows that are found.
fn explore_share(
    frontier: Frontier,
    ahead: Ahead,
    taken: u32,
    own: Leveled,
    local: u32,
) -> Progress {
    let is_early = has_early_rows(frontier);
    // Early rows are put behind those that are found.
    let capacity = select(HALF, HALF - SIZE, is_early);
    var progress = Progress(frontier.level, 0u, taken);
    if is_early {
        progress.level -= loop_now.words[CONTROL_SPAN];
    }
    var rows = taken;
    var edges = frontier.edges;
    var has_longer_rows = true;
    var half = 0u;
    var wide_levels = 0u;
    workgroupBarrier();
    loop {
        if is_early {
            found[half + rows + local] = select(vec2(0u), own.row, own.level == progress.level);
            rows += SIZE;
            has_longer_rows = true;
            workgroupBarrier();
        }
        let below = select(0u, ahead.last - 1u - progress.level, ahead.is_batch);
        let how = Exploration(progress.level, true, Collected(HALF - half, capacity, below));
        explore_found(frontier, how, half, rows, has_longer_rows, local);
        progress.level += 1u;
        progress.edges += edges;
        progress.rows = rows;
        half = HALF - half;
        if progress.level >= ahead.last {
            break;
        }
        wide_levels = select(0u, wide_levels + 1u, rows > WIDE_ROWS && params.most_span > 1u);
        workgroupBarrier();
        if local == 0u {
            next_level = end_level(ahead.is_batch, wide_levels < WIDE_LEVELS);
        }
        let next = workgroupUniformLoad(&next_level);
        rows = min(next.x, capacity);
        edges = next.y & ~FLAGS;
        has_longer_rows = (next.y & HAS_LONGER_ROWS) != 0u;
        if rows == 0u && !is_early {
            break;
        }
    }
    spill(frontier, Collected(half, capacity, 0u), 0u, local);
    return progress;
}

/// The numbers of rows that were found and of their edges, with HAS_LONGER_ROWS, if they are to be
/// explored in the same iteration: then they are no longer counted. Zeros, if not. One invocation
/// calls it.
fn end_level(is_batch: bool, may_go_on: bool) -> vec2<u32> {
    let next = vec2(atomicLoad(&found_len), atomicLoad(&found_edges));
    if !is_batch && !(may_go_on && is_narrow(next.x, next.y & ~HAS_LONGER_ROWS)) {
        return vec2(0u);
    }
    forget_found();
    return next;
}
