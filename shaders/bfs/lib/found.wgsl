//! Collects the rows of states that were found, for the queue.
//!
//! A workgroup collects them in its own memory, and spills many at a time. The queue only grows:
//! every place is written once, and read only in later iterations. A state without edges has no
//! row. A long row is cut into pieces, which different workgroups may explore; then the queue has a
//! place for each piece. The rows of states that are nearer than those of the next frontier are
//! collected, too, while several levels are explored at a time (`bfs/lib/batch`). Those of them for
//! which a workgroup has no room go to `early`, from which the next iteration takes them.
#import bfs/lib/control

/// The number of rows that a workgroup collects. In a narrow frontier the halves take turns.
const FOUND = 1024u;
const HALF = 512u;
const_assert NARROW_ROWS <= HALF;
/// With more rows than this, they are spilled in good time.
const SPILL_ABOVE = 256u;
/// In `found_edges`, beside a number: rows were added to the queue one by one.
const SPILLED = 0x80000000u;
/// In `found_edges`, beside a number: there are rows that are not short.
const HAS_LONGER_ROWS = 0x40000000u;
const FLAGS = SPILLED | HAS_LONGER_ROWS;
/// The most edges that an invocation follows at once.
const AT_ONCE = 4u;
/// The most edges of a short row, which two invocations may share.
const SHORT_ROW = 8u;
const_assert SHORT_ROW == 2u * AT_ONCE;
/// In `early`, the bits of a row's length; above them is how many levels its state is below those
/// of the next frontier.
const LENGTH_BITS = 12u;
const_assert PIECE < (1u << LENGTH_BITS);

/// The place where the edges of each state begin, and where those of the last one end.
@group(0) @binding(0) var<storage, read> offsets: array<u32>;
@group(0) @binding(1) var<storage, read> targets: array<u32>;
@group(0) @binding(2) var<storage, read_write> distances: array<atomic<u32>>;
/// Rows: where the edges begin, and where they end.
//@ disjoint queue: an iteration reads entries of earlier ones, and writes each later place once
@group(0) @binding(3) var<storage, read_write> queue: array<vec2<u32>>;
@group(0) @binding(4) var<uniform> params: LevelParams;
/// Early rows: where the edges begin, and their number beside a difference of levels.
//@ disjoint early: an iteration reads entries of the previous one, and writes each later place once
@group(0) @binding(5) var<storage, read_write> early: array<vec2<u32>>;

//@ within found: a half has at most HALF rows, and is read up to its last row
var<workgroup> found: array<vec2<u32>, FOUND>;
/// The number of rows that were found, including those for which there was no room.
var<workgroup> found_len: atomic<u32>;
/// The number of edges of the collected rows.
var<workgroup> found_edges: atomic<u32>;
var<workgroup> spill_at: u32;

/// The part of the workgroup's memory that collects rows.
struct Collected {
    at: u32,
    capacity: u32,
    /// The number of levels from their states to those of the next frontier. If it is not 0, rows
    /// for which there is no room are early ones.
    below: u32,
}

/// Returns the row of a state. It ends whatever the offsets are, so that loops over it do.
fn row_of(state: u32) -> vec2<u32> {
    return min(vec2(offsets[state], offsets[state + 1u]), vec2(arrayLength(&targets)));
}

/// Claims a state for the level after `level`. Of all invocations that find a state at this level,
/// one is told that it was farther away or unreached, and adds its row.
//@ once claim(state, level): who lowers the distance to this value adds the row
fn claim(state: u32, level: u32) -> bool {
    let before = atomicMin(&distances[state], level + 1u);
    count_lowered(u32(before > level + 1u && before != UNREACHED));
    return before > level + 1u;
}

/// Counts states that had been claimed for a larger distance.
fn count_lowered(states: u32) {
    if states != 0u {
        // RESULT UNUSED: it only counts.
        atomicAdd(&loop_next.words[CONTROL_LOWERED], states);
    }
}

/// Adds the row of a state that was claimed.
fn add_found(frontier: Frontier, into: Collected, row: vec2<u32>) {
    let degree = row.y - row.x;
    if degree > PIECE {
        spill_pieces(frontier, into, row);
    } else if degree != 0u {
        put_found(frontier, into, atomicAdd(&found_len, 1u), row);
    }
}

/// Adds the rows of up to four states that were claimed. Rows without edges, which also stand for
/// states that were not claimed, are left out.
fn add_four_found(
    frontier: Frontier,
    into: Collected,
    x: vec2<u32>,
    y: vec2<u32>,
    z: vec2<u32>,
    w: vec2<u32>,
) {
    let degrees = vec4(x.y, y.y, z.y, w.y) - vec4(x.x, y.x, z.x, w.x);
    if any(degrees > vec4(PIECE)) {
        add_found(frontier, into, x);
        add_found(frontier, into, y);
        add_found(frontier, into, z);
        add_found(frontier, into, w);
        return;
    }
    let counts = select(vec4(0u), vec4(1u), degrees != vec4(0u));
    let rows = counts.x + counts.y + counts.z + counts.w;
    if rows == 0u {
        return;
    }
    // One addition for all of them: additions to one word wait for each other.
    let at = atomicAdd(&found_len, rows);
    if at + rows > into.capacity {
        put_found(frontier, into, at, x);
        put_found(frontier, into, at + counts.x, y);
        put_found(frontier, into, at + counts.x + counts.y, z);
        put_found(frontier, into, at + rows - counts.w, w);
        return;
    }
    count_found(degrees.x + degrees.y + degrees.z + degrees.w, any(degrees > vec4(SHORT_ROW)));
    let first = into.at + at;
    if counts.x != 0u {
        found[first] = x;
    }
    if counts.y != 0u {
        found[first + counts.x] = y;
    }
    if counts.z != 0u {
        found[first + counts.x + counts.y] = z;
    }
    if counts.w != 0u {
        found[first + rows - 1u] = w;
    }
}

/// Puts a row into the place `at` of those that are collected or, if there is no room, into the
/// queue or to the early rows. Does nothing with a row without edges.
fn put_found(frontier: Frontier, into: Collected, at: u32, row: vec2<u32>) {
    let degree = row.y - row.x;
    if degree == 0u {
        return;
    }
    if at < into.capacity {
        found[into.at + at] = row;
        count_found(degree, degree > SHORT_ROW);
    } else if into.below == 0u {
        queue[reserve(frontier, 1u, degree)] = row;
    } else {
        put_early(reserve_early(frontier, 1u), row, into.below);
    }
}

/// Counts edges of rows that are collected.
fn count_found(edges: u32, has_longer_rows: bool) {
    atomicAdd(&found_edges, edges);
    if has_longer_rows {
        // RESULT UNUSED: the flag is only set.
        atomicOr(&found_edges, HAS_LONGER_ROWS);
    }
}

/// Adds a long row to the queue, or to the early rows, in pieces.
fn spill_pieces(frontier: Frontier, into: Collected, row: vec2<u32>) {
    // RESULT UNUSED: the flag is only set.
    atomicOr(&found_edges, SPILLED);
    let degree = row.y - row.x;
    let pieces = (degree - 1u) / PIECE + 1u;
    let is_early = into.below != 0u;
    var at = 0u;
    if is_early {
        at = reserve_early(frontier, pieces);
    } else {
        at = reserve(frontier, pieces, degree);
    }
    for (var i = 0u; i < pieces; i += 1u) {
        let first = row.x + i * PIECE;
        let piece = vec2(first, first + min(PIECE, row.y - first));
        if is_early {
            put_early(at + i, piece, into.below);
        } else {
            queue[at + i] = piece;
        }
    }
}

/// Reserves places in the queue for this many rows and edges. Returns the first place.
fn reserve(frontier: Frontier, rows: u32, edges: u32) -> u32 {
    let at = atomicAdd(&loop_next.words[CONTROL_ADDED], rows);
    let before = atomicAdd(&loop_next.words[CONTROL_EDGES], edges);
    ask_for_groups(at + rows, before + edges);
    return frontier.end + at;
}

/// Reserves places for this many early rows. Returns the first place.
fn reserve_early(frontier: Frontier, rows: u32) -> u32 {
    let at = atomicAdd(&loop_next.words[CONTROL_EARLY], rows);
    loop_again(params.most_groups);
    return frontier.early_end + at;
}

/// Puts an early row into its place, if there is room.
fn put_early(at: u32, row: vec2<u32>, below: u32) {
    if at < min(params.early_rows, arrayLength(&early)) {
        early[at] = vec2(row.x, (below << LENGTH_BITS) | (row.y - row.x));
    } else {
        atomicStore(&loop_next.words[CONTROL_LOST], 1u);
    }
}

/// Spills the collected rows, if there are more than `most`. A barrier.
fn spill(frontier: Frontier, here: Collected, most: u32, local: u32) {
    let rows = min(workgroupUniformLoad(&found_len), here.capacity);
    if rows <= most {
        return;
    }
    if local == 0u {
        let edges = atomicLoad(&found_edges) & ~FLAGS;
        spill_at = reserve(frontier, rows, edges);
        forget_found();
    }
    let base = workgroupUniformLoad(&spill_at);
    for (var i = local; i < rows; i += SIZE) {
        queue[base + i] = found[here.at + i];
    }
    workgroupBarrier();
}

/// Forgets the collected rows. One invocation calls it.
fn forget_found() {
    atomicStore(&found_len, 0u);
    atomicStore(&found_edges, 0u);
}
