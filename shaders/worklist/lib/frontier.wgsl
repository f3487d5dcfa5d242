//! The double-buffered frontier of a local BFS: the entries of a hop, and those of the next hop.
//! The two buffers take turns.
//!
//! It lies in the workgroup scratch, word by word: entries, the names of their regions, where their
//! rows begin, and where they end; then, with INLINE, the first edges of the first entries of
//! either buffer; then the entries of a hop whose rows are too long.
//!
//!     | 2 FRONTIER | 2 FRONTIER | 2 FRONTIER | 2 FRONTIER | 2 FEW INLINE_EDGES | FRONTIER |
//!
//! flags: INLINE
#import worklist/lib/inline_adjacency
#import worklist/lib/queue
#import worklist/lib/scratch

/// The number of entries that a buffer holds.
const FRONTIER = SIZE;
/// The number of them whose first edges are stored beside them.
const FEW = 32u;

/// In `frontier_len`, beside a number: all workgroups together have spilled many entries.
const SPILLED_BY_ALL = 0x40000000u;
/// In `frontier_len`: parts of long rows are still to be visited.
const HAS_LONG_ROWS = 0x80000000u;
const FRONTIER_LEN_MASK = 0x3fffffffu;

const FRONTIER_AT = 0u;
const FRONTIER_EDGES_AT = 8u * FRONTIER;
const LONG_ROWS_AT = FRONTIER_EDGES_AT + 2u * FEW * INLINE_EDGES;
const_assert LONG_ROWS_AT + FRONTIER <= SCRATCH;

/// The number of entries that were added to each buffer, including those that found no room.
//@ within frontier_len: a buffer is 0 or 1
var<workgroup> frontier_len: array<atomic<u32>, 2>;
var<workgroup> long_rows_len: atomic<u32>;

fn store_entry(buffer: u32, at: u32, entry: u32, name: u32, inlined: InlineRow) {
    let place = FRONTIER_AT + buffer * FRONTIER + at;
    scratch[place] = entry;
    scratch[place + 2u * FRONTIER] = name;
    scratch[place + 4u * FRONTIER] = inlined.row.x;
    scratch[place + 6u * FRONTIER] = inlined.row.y;
#ifdef INLINE
    if at < FEW {
        store_edges(edge_place(buffer, at, 0u), inlined);
    }
#endif
}

#ifdef INLINE
/// Without a loop, for which compilers would put the edges into memory.
fn store_edges(place: u32, inlined: InlineRow) {
    scratch[place] = inlined.edges[0];
    scratch[place + 1u] = inlined.edges[1];
    scratch[place + 2u] = inlined.edges[2];
    scratch[place + 3u] = inlined.edges[3];
    scratch[place + 4u] = inlined.edges[4];
    scratch[place + 5u] = inlined.edges[5];
}
#endif

fn frontier_entry(buffer: u32, at: u32) -> u32 {
    return scratch[FRONTIER_AT + buffer * FRONTIER + at];
}

fn frontier_row(buffer: u32, at: u32) -> QueueEntry {
    let place = FRONTIER_AT + buffer * FRONTIER + at;
    let row = vec2(scratch[place + 4u * FRONTIER], scratch[place + 6u * FRONTIER]);
    return QueueEntry(scratch[place], scratch[place + 2u * FRONTIER], row);
}

/// Returns the place of the `j`th edge of one of the first entries of a buffer.
fn edge_place(buffer: u32, at: u32, j: u32) -> u32 {
    return FRONTIER_EDGES_AT + (buffer * FEW + at) * INLINE_EDGES + j;
}

/// Adds an entry for the next hop: to a buffer, if the edges of its state are bound.
fn enqueue_next(iteration: Iteration, buffer: u32, entry: u32, name: u32, inlined: InlineRow) {
    if is_here(entry >> 31u, entry & STATE) {
        let at = atomicAdd(&frontier_len[buffer], 1u) & FRONTIER_LEN_MASK;
        if at < FRONTIER {
            store_entry(buffer, at, entry, name, inlined);
            return;
        }
    }
    spill_one(iteration, entry);
}

/// Defers the rest of the row of an entry of this hop, which all invocations will share.
fn defer_long_row(buffer: u32, at: u32) {
    scratch[LONG_ROWS_AT + atomicAdd(&long_rows_len, 1u)] = at;
    // RESULT UNUSED: the flag is only set.
    atomicOr(&frontier_len[1u - buffer], HAS_LONG_ROWS);
}
