//! The front of a dive: the entries of a hop, and those of the next, in two halves of which each is one of them by turns.
//!
//! It lies in `room` (`scratch.wgsl`) word by word: entries, their regions, where their rows begin, and where these end; then the first edges
//! of the first entries of either half, if heads have them; then which entries of a hop have rows that are too long.
//!
//!     | 2 HALF | 2 HALF | 2 HALF | 2 HALF | 2 THIN INLINE | HALF |
//!
//! flags: HEADED
#import worklist/lib/explore
#import worklist/lib/inline_adjacency
#import worklist/lib/scratch

/// Entries in a half.
const HALF = SIZE;
/// How many of these have their first edges at hand.
const THIN = 32u;

/// In `front_len`, beside a number: others handed over much; rows are left to be shared out anew.
const HANDED_OVER = 0x40000000u;
const HAS_LONG = 0x80000000u;
const LEN_MASK = 0x3fffffffu;

const FRONT_AT = 0u;
const EDGES_AT = 8u * HALF;
const LONG_ROWS_AT = EDGES_AT + 2u * THIN * INLINE;
const_assert LONG_ROWS_AT + HALF <= ROOM;

/// How many entries the halves hold. May pass that, by what did not fit.
var<workgroup> front_len: array<atomic<u32>, 2>;
var<workgroup> long_rows_len: atomic<u32>;

fn keep(half: u32, at: u32, entry: u32, name: u32, head: Head) {
    let place = FRONT_AT + half * HALF + at;
    room[place] = entry;
    room[place + 2u * HALF] = name;
    room[place + 4u * HALF] = head.row.x;
    room[place + 6u * HALF] = head.row.y;
#ifdef HEADED
    if at < THIN {
        keep_edges(edge_place(half, at, 0u), head);
    }
#endif
}

#ifdef HEADED
/// Without a loop: compilers would put the edges into memory for it.
fn keep_edges(place: u32, head: Head) {
    room[place] = head.edges[0];
    room[place + 1u] = head.edges[1];
    room[place + 2u] = head.edges[2];
    room[place + 3u] = head.edges[3];
    room[place + 4u] = head.edges[4];
    room[place + 5u] = head.edges[5];
}
#endif

fn kept_entry(half: u32, at: u32) -> u32 {
    return room[FRONT_AT + half * HALF + at];
}

fn kept(half: u32, at: u32) -> Found {
    let place = FRONT_AT + half * HALF + at;
    return Found(room[place], room[place + 2u * HALF], vec2(room[place + 4u * HALF], room[place + 6u * HALF]));
}

/// Where the `j`th edge of one of the first entries of a half is kept.
fn edge_place(half: u32, at: u32, j: u32) -> u32 {
    return EDGES_AT + (half * THIN + at) * INLINE + j;
}

/// Keeps an entry for the next hop: in a half, if its edges are bound.
fn found_next(turn: Turn, half: u32, entry: u32, name: u32, head: Head) {
    if is_here(entry >> 31u, entry & STATE) {
        let at = atomicAdd(&front_len[half], 1u) & LEN_MASK;
        if at < HALF {
            keep(half, at, entry, name, head);
            return;
        }
    }
    hand_over_one(turn, entry);
}


/// Leaves the rest of the row of an entry of this hop to be shared out anew.
fn leave_long(half: u32, at: u32) {
    room[LONG_ROWS_AT + atomicAdd(&long_rows_len, 1u)] = at;
    // RESULT UNUSED: the flag is only set.
    atomicOr(&front_len[1u - half], HAS_LONG);
}
