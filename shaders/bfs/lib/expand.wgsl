//! Top down: follows the edges of rows.
//!
//! An invocation follows up to four edges at once; in a workgroup that explores several levels, two
//! of them share a row of up to eight. The edges of other rows, up to 256 of them, are laid out end
//! to end, and distributed evenly over the invocations of a workgroup, a window at a time. All
//! invocations share each long row.
//!
//!     for each 256 rows:                                        top_down, explore_found
//!         claim the ends of short rows that are unreached       visit_at_once
//!         lay out the others; for each window of edges:         expand
//!             claim the ends that are unreached                 visit_four, visit_alone
#import bfs/lib/found

/// The edges of a window: four for each invocation.
const WINDOW = 4u * SIZE;
/// Rows of more edges are not laid out.
const LAID_OUT_ROW = 256u;
/// In `laid_out`, beside a number: there are rows that are not laid out.
const HAS_LONG_ROWS = 0x80000000u;

/// The invocation whose row each edge of a window belongs to.
//@ within owners: places are below the number of edges of a window, at most WINDOW
var<workgroup> owners: array<u32, WINDOW>;
/// Of each invocation, the position of its row's first edge, less the place where it is laid out.
//@ within bases: `owners` holds numbers of invocations; each adds one row of `long_rows` at most
var<workgroup> bases: array<u32, SIZE>;
/// Rows that all invocations share.
//@ within long_rows: an invocation adds one row at most before the list is emptied
var<workgroup> long_rows: array<vec2<u32>, SIZE>;
var<workgroup> long_rows_len: atomic<u32>;
/// The number of edges that are laid out.
var<workgroup> laid_out: atomic<u32>;
/// The next level of a workgroup that explores what it finds: its rows and edges.
var<workgroup> next_level: vec2<u32>;

/// The way in which rows are explored.
struct Exploration {
    /// The distance of their states.
    level: u32,
    /// Whether the workgroup goes on from what it finds: then what counts is how long accesses take
    /// that depend on each other, and not how many there are.
    is_alone: bool,
    into: Collected,
}

/// All workgroups: each explores its share of the frontier.
fn top_down(frontier: Frontier, group: u32, groups: u32, local: u32) {
    let rows = frontier.end - frontier.head;
    let share = share_of(rows, frontier.edges);
    let batch = clamp((rows + groups - 1u) / groups, share, SIZE);
    let how = Exploration(frontier.level, false, Collected(0u, FOUND, 0u));
    for (var next = group * batch; next < rows; next += groups * batch) {
        var row = vec2(0u);
        if local < batch && local < rows - next {
            row = queue[frontier.head + next + local];
        }
        if row.y - row.x <= AT_ONCE {
            visit_at_once(frontier, how, row);
            row = vec2(0u);
        }
        expand(frontier, how, row, local);
        let is_last = rows - next <= groups * batch;
        spill(frontier, how.into, select(SPILL_ABOVE, 0u, is_last), local);
    }
}

/// Explores the rows of a half of `found`. A barrier if some of them may not be short.
fn explore_found(
    frontier: Frontier,
    how: Exploration,
    half: u32,
    rows: u32,
    has_longer_rows: bool,
    local: u32,
) {
    // Two invocations share a short row, unless one of them can follow it at once.
    for (var i = local; i < 2u * rows; i += SIZE) {
        let is_second = i >= rows;
        let row = found[half + select(i, i - rows, is_second)];
        if is_short(row) {
            let first = row.x + select(0u, AT_ONCE, is_second);
            visit_at_once(frontier, how, vec2(first, min(row.y, first + AT_ONCE)));
        }
    }
    if has_longer_rows {
        for (var first = 0u; first < rows; first += SIZE) {
            var row = vec2(0u);
            if local < rows - first {
                row = found[half + first + local];
            }
            if is_short(row) {
                row = vec2(0u);
            }
            expand(frontier, how, row, local);
        }
    }
}

fn is_short(row: vec2<u32>) -> bool {
    return row.y - row.x <= SHORT_ROW;
}

/// Follows up to four edges. The rows of their ends are looked up before it is known whether they
/// are needed, so that only two memory accesses depend on each other.
fn visit_at_once(frontier: Frontier, how: Exploration, row: vec2<u32>) {
    if row.x >= row.y {
        return;
    }
    let all = vec4(row.x) + vec4(0u, 1u, 2u, 3u);
    let at = min(all, vec4(row.y - 1u));
    let end = vec4(targets[at.x], targets[at.y], targets[at.z], targets[at.w]);
    let x = row_of(end.x);
    let y = row_of(end.y);
    let z = row_of(end.z);
    let w = row_of(end.w);
    let is_mine = claim_four(how.level, end, all < vec4(row.y));
    add_four_found(
        frontier,
        how.into,
        select(vec2(0u), x, is_mine.x),
        select(vec2(0u), y, is_mine.y),
        select(vec2(0u), z, is_mine.z),
        select(vec2(0u), w, is_mine.w),
    );
}

/// Explores a batch of rows, one for each invocation that has one. A barrier.
fn expand(frontier: Frontier, how: Exploration, row: vec2<u32>, local: u32) {
    let degree = row.y - row.x;
    var own = vec2(0u);
    if degree > LAID_OUT_ROW {
        long_rows[atomicAdd(&long_rows_len, 1u)] = row;
        // RESULT UNUSED: the flag is only set.
        atomicOr(&laid_out, HAS_LONG_ROWS);
    } else if degree != 0u {
        let first = atomicAdd(&laid_out, degree) & ~HAS_LONG_ROWS;
        bases[local] = row.x - first;
        own = vec2(first, first + degree);
    }
    let all = workgroupUniformLoad(&laid_out);
    let edges = all & ~HAS_LONG_ROWS;
    for (var window = 0u; window < edges; window += WINDOW) {
        let end = min(own.y, window + WINDOW);
        for (var j = max(own.x, window); j < end; j += 1u) {
            owners[j - window] = local;
        }
        workgroupBarrier();
        visit_window(frontier, how, window, min(edges - window, WINDOW), local);
        end_window(frontier, how, local);
    }
    if (all & HAS_LONG_ROWS) != 0u {
        share_long_rows(frontier, how, local);
    }
    if local == 0u {
        atomicStore(&laid_out, 0u);
        atomicStore(&long_rows_len, 0u);
    }
    workgroupBarrier();
}

/// Follows the edges of long rows, one row after the other. A barrier.
fn share_long_rows(frontier: Frontier, how: Exploration, local: u32) {
    let rows = workgroupUniformLoad(&long_rows_len);
    for (var i = 0u; i < rows; i += 1u) {
        let row = workgroupUniformLoad(&long_rows[i]);
        for (var first = row.x; first < row.y; first += WINDOW) {
            let edges = min(row.y - first, WINDOW);
            if how.is_alone {
                for (var j = local; j < edges; j += SIZE) {
                    visit_alone(frontier, how, first + j);
                }
            } else if local < edges {
                let j = four(local, edges);
                visit_four(frontier, how, vec4(first) + j, is_there(local, edges));
            }
            end_window(frontier, how, local);
        }
    }
}

/// After it, the memory of a window can be used again. A barrier.
fn end_window(frontier: Frontier, how: Exploration, local: u32) {
    if how.is_alone {
        workgroupBarrier();
    } else {
        spill(frontier, how.into, SPILL_ABOVE, local);
    }
}

/// An invocation's four edges of a window; the first one instead of those that are not there.
fn four(local: u32, edges: u32) -> vec4<u32> {
    let all = vec4(local, local + SIZE, local + 2u * SIZE, local + 3u * SIZE);
    return select(vec4(local), all, all < vec4(edges));
}

/// Returns which of an invocation's four edges exist.
fn is_there(local: u32, edges: u32) -> vec4<bool> {
    let all = vec4(local, local + SIZE, local + 2u * SIZE, local + 3u * SIZE);
    return all < vec4(edges);
}

/// Follows an invocation's edges of a window.
fn visit_window(frontier: Frontier, how: Exploration, window: u32, edges: u32, local: u32) {
    if how.is_alone {
        for (var j = local; j < edges; j += SIZE) {
            visit_alone(frontier, how, bases[owners[j]] + window + j);
        }
    } else if local < edges {
        let j = four(local, edges);
        let base = vec4(
            bases[owners[j.x]],
            bases[owners[j.y]],
            bases[owners[j.z]],
            bases[owners[j.w]],
        );
        visit_four(frontier, how, base + vec4(window) + j, is_there(local, edges));
    }
}

/// Follows four edges, so that an invocation waits for four accesses at a time.
fn visit_four(frontier: Frontier, how: Exploration, at: vec4<u32>, there: vec4<bool>) {
    let end = vec4(targets[at.x], targets[at.y], targets[at.z], targets[at.w]);
    // Most ends were reached before, and a look is cheaper than a claim. A distance that is out of
    // date is too large and does no harm: the claim returns the actual one.
    let known = vec4(
        atomicLoad(&distances[end.x]),
        atomicLoad(&distances[end.y]),
        atomicLoad(&distances[end.z]),
        atomicLoad(&distances[end.w]),
    );
    let is_farther = there & (known > vec4(how.level + 1u));
    let is_mine = claim_four(how.level, end, is_farther);
    add_four(frontier, how.into, end, is_mine);
}

/// Claims those of four states that may be farther away than the level after `level`. Returns which
/// of them were: nothing waits for one claim before the next one is made.
fn claim_four(level: u32, states: vec4<u32>, which: vec4<bool>) -> vec4<bool> {
    var before = vec4(0u);
    if which.x {
        before.x = atomicMin(&distances[states.x], level + 1u);
    }
    if which.y {
        before.y = atomicMin(&distances[states.y], level + 1u);
    }
    if which.z {
        before.z = atomicMin(&distances[states.z], level + 1u);
    }
    if which.w {
        before.w = atomicMin(&distances[states.w], level + 1u);
    }
    let is_mine = before > vec4(level + 1u);
    let is_lowered = is_mine & (before != vec4(UNREACHED));
    if any(is_lowered) {
        let each = select(vec4(0u), vec4(1u), is_lowered);
        count_lowered(each.x + each.y + each.z + each.w);
    }
    return is_mine;
}

/// Adds the rows of those of four states that were claimed, which are all looked up first.
fn add_four(frontier: Frontier, into: Collected, states: vec4<u32>, which: vec4<bool>) {
    var x = vec2(0u);
    var y = vec2(0u);
    var z = vec2(0u);
    var w = vec2(0u);
    if which.x {
        x = row_of(states.x);
    }
    if which.y {
        y = row_of(states.y);
    }
    if which.z {
        z = row_of(states.z);
    }
    if which.w {
        w = row_of(states.w);
    }
    add_four_found(frontier, into, x, y, z, w);
}

/// Follows one edge. The row of its end is looked up before it is known whether it is needed, so
/// that in a level only two memory accesses depend on each other.
fn visit_alone(frontier: Frontier, how: Exploration, at: u32) {
    let end = targets[at];
    let row = row_of(end);
    if claim(end, how.level) {
        add_found(frontier, how.into, row);
    }
}
