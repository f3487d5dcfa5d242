//! Collects the rows of states that were found, for the queue.
//!
//! A workgroup collects them in its own memory, and spills many at a time. The queue only grows:
//! every place is written once, and read only in later iterations. A state without edges has no
//! row. A long row is cut into pieces, which different workgroups may explore; then the queue has a
//! place for each piece.
#import bfs/lib/control

/// How many rows a workgroup collects. In a narrow frontier the halves take turns.
const FOUND = 1024u;
const HALF = 512u;
const_assert NARROW_ROWS <= HALF;
/// With more rows than this, they are spilled in good time.
const SPILL_ABOVE = 256u;
/// In `found_edges`, beside a number: rows were added to the queue one by one.
const SPILLED = 0x80000000u;
/// In `found_edges`, beside a number: there are rows that are not short.
const HAS_LONGER_ROWS = 0x40000000u;
/// The most edges of a short row.
const AT_ONCE = 4u;

/// Where the edges of each state begin, and where the last one's end.
@group(0) @binding(0) var<storage, read> offsets: array<u32>;
@group(0) @binding(1) var<storage, read> targets: array<u32>;
@group(0) @binding(2) var<storage, read_write> distances: array<atomic<u32>>;
/// Rows: where the edges begin, and where they end.
//@ disjoint queue: an iteration reads what earlier ones wrote, and writes every place behind once
@group(0) @binding(3) var<storage, read_write> queue: array<vec2<u32>>;
@group(0) @binding(4) var<uniform> params: LevelParams;

//@ within found: a half is read up to its rows, of which there are at most HALF
var<workgroup> found: array<vec2<u32>, FOUND>;
/// How many rows were found, including those for which there was no room.
var<workgroup> found_len: atomic<u32>;
/// How many edges the rows have that are collected.
var<workgroup> found_edges: atomic<u32>;
var<workgroup> spill_at: u32;

/// Where a workgroup collects rows.
struct Collected {
    at: u32,
    capacity: u32,
}

/// The row of a state. It ends whatever the offsets are, so that loops over it do.
fn row_of(state: u32) -> vec2<u32> {
    return min(vec2(offsets[state], offsets[state + 1u]), vec2(arrayLength(&targets)));
}

/// Claims a state for the level after `level`. Of all invocations that find a state, one is told
/// that it was unreached, and queues it.
//@ once claim(state): who finds the state unreached queues it
fn claim(state: u32, level: u32) -> bool {
    return atomicMin(&distances[state], level + 1u) == UNREACHED;
}

/// Adds the row of a state that was claimed.
fn add_found(frontier: Frontier, into: Collected, row: vec2<u32>) {
    let degree = row.y - row.x;
    if degree == 0u {
        return;
    }
    if degree > PIECE {
        spill_pieces(frontier, row);
        return;
    }
    let at = atomicAdd(&found_len, 1u);
    if at < into.capacity {
        found[into.at + at] = row;
        atomicAdd(&found_edges, degree);
        if degree > AT_ONCE {
            // RESULT UNUSED: the flag is only set.
            atomicOr(&found_edges, HAS_LONGER_ROWS);
        }
    } else {
        queue[reserve(frontier, 1u, degree)] = row;
    }
}

/// Adds a long row to the queue, in pieces.
fn spill_pieces(frontier: Frontier, row: vec2<u32>) {
    // RESULT UNUSED: the flag is only set.
    atomicOr(&found_edges, SPILLED);
    let degree = row.y - row.x;
    let pieces = (degree - 1u) / PIECE + 1u;
    let at = reserve(frontier, pieces, degree);
    for (var i = 0u; i < pieces; i += 1u) {
        let first = row.x + i * PIECE;
        queue[at + i] = vec2(first, first + min(PIECE, row.y - first));
    }
}

/// Reserves places in the queue for so many rows with so many edges. Returns the first place.
fn reserve(frontier: Frontier, rows: u32, edges: u32) -> u32 {
    let at = atomicAdd(&loop_next.words[CONTROL_ADDED], rows);
    let before = atomicAdd(&loop_next.words[CONTROL_EDGES], edges);
    ask_for_groups(at + rows, before + edges);
    return frontier.end + at;
}

/// Spills what was collected, if these are more rows than `most`. A barrier.
fn spill(frontier: Frontier, here: Collected, most: u32, local: u32) {
    let rows = min(workgroupUniformLoad(&found_len), here.capacity);
    if rows <= most {
        return;
    }
    if local == 0u {
        let edges = atomicLoad(&found_edges) & ~(SPILLED | HAS_LONGER_ROWS);
        spill_at = reserve(frontier, rows, edges);
        forget_found();
    }
    let base = workgroupUniformLoad(&spill_at);
    for (var i = local; i < rows; i += SIZE) {
        queue[base + i] = found[here.at + i];
    }
    workgroupBarrier();
}

/// Nothing is collected any more. One invocation calls it.
fn forget_found() {
    atomicStore(&found_len, 0u);
    atomicStore(&found_edges, 0u);
}
