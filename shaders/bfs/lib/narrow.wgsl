//! One workgroup alone follows a narrow frontier, level by level, with barriers between two levels.
#import bfs/lib/expand

/// Where a workgroup alone has come to.
struct Progress {
    level: u32,
    /// The edges that were explored.
    edges: u32,
    /// The rows of the last level.
    rows: u32,
}

/// One workgroup: explores level after level, as long as they are narrow. It stops after some
/// levels that batches may explore faster.
fn narrow(frontier: Frontier, local: u32) -> Progress {
    var rows = min(frontier.end - frontier.head, HALF);
    var edges = frontier.edges;
    var progress = Progress(frontier.level, 0u, rows);
    var half = 0u;
    for (var i = local; i < rows; i += SIZE) {
        found[i] = queue[frontier.head + i];
    }
    workgroupBarrier();
    var has_longer_rows = true;
    var wide_levels = 0u;
    loop {
        let how = Exploration(progress.level, true, Collected(HALF - half, HALF, 0u));
        explore_found(frontier, how, half, rows, has_longer_rows, local);
        progress.level += 1u;
        progress.edges += edges;
        progress.rows = rows;
        wide_levels = select(0u, wide_levels + 1u, rows > WIDE_ROWS && params.most_span > 1u);
        half = HALF - half;
        workgroupBarrier();
        if local == 0u {
            let levels = progress.level - frontier.level;
            next_level = end_level(levels < params.levels && wide_levels < WIDE_LEVELS);
        }
        let next = workgroupUniformLoad(&next_level);
        rows = next.x;
        edges = next.y & ~FLAGS;
        has_longer_rows = (next.y & HAS_LONGER_ROWS) != 0u;
        if rows == 0u {
            break;
        }
    }
    spill(frontier, Collected(half, HALF, 0u), 0u, local);
    return progress;
}

/// How many rows were found, and how many edges they have, with HAS_LONGER_ROWS, if they are to be
/// explored in the same iteration: then they are no longer counted. Zeros, if not. One invocation
/// calls it.
fn end_level(may_go_on: bool) -> vec2<u32> {
    let next = vec2(atomicLoad(&found_len), atomicLoad(&found_edges));
    if !may_go_on || !is_narrow(next.x, next.y & ~HAS_LONGER_ROWS) {
        return vec2(0u);
    }
    forget_found();
    return next;
}
