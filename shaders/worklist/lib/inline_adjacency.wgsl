//! Inline adjacency: the first edges of a state are stored next to the position of its row, so one
//! access reads both.
//!
//! Each memory access returns 32 bytes. With INLINE these are the position and end of the row, and
//! six edges: following a path of states with few edges takes one access per state instead of two.
//! All edges are then in one shard. Without INLINE, an inline row is only the row.
//!
//! flags: INLINE
#import worklist/lib/edges

/// A row, and as many of its first edges as are stored beside it.
struct InlineRow {
    row: vec2<u32>,
    edges: array<u32, INLINE_EDGES>,
}

#ifdef INLINE
#import csr/lib/inline_edges

/// The inline rows of all states: for each state the one forward, then the one backward.
@group(0) @binding(17) var<storage, read> inline_rows: array<vec4<u32>>;

fn load_inline_row(direction: u32, state: u32) -> InlineRow {
    let a = inline_rows[4u * state + 2u * direction];
    let b = inline_rows[4u * state + 2u * direction + 1u];
    return InlineRow(a.xy, array(a.z, a.w, b.x, b.y, b.z, b.w));
}

/// Returns the end of the `j`th edge of a state whose row begins at `first`.
fn inline_edge(direction: u32, state: u32, first: u32, j: u32) -> u32 {
    if j < INLINE_EDGES {
        return inline_rows[4u * state + 2u * direction + (2u + j) / 4u][(2u + j) % 4u];
    }
    return edge(direction, first + j);
}

/// Returns whether the edges of a state are bound.
fn is_here(direction: u32, state: u32) -> bool {
    return true;
}
#else
const INLINE_EDGES = 1u;

fn load_inline_row(direction: u32, state: u32) -> InlineRow {
    return InlineRow(row(direction, state), array<u32, INLINE_EDGES>());
}

fn inline_edge(direction: u32, state: u32, first: u32, j: u32) -> u32 {
    return edge(direction, first + j);
}

fn is_here(direction: u32, state: u32) -> bool {
    return is_bound(direction, state);
}
#endif
