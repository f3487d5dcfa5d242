//! Rows whose first edges lie beside what says where the row is, so that who asks for one is given both.
//!
//! An answer of memory is 32 bytes whatever was asked. With HEADED these are the row's position and end, and six edges: who
//! follows a path of states with few edges waits for one answer a state in place of two. Then all edges are of one shard.
//! Without, nothing is said of a row's edges.
//!
//! flags: HEADED
#import worklist/lib/edges

struct Head {
    row: vec2<u32>,
    /// The first edges, as many as there are.
    edges: array<u32, INLINE>,
}

#ifdef HEADED
/// How many edges a head has room for.
const INLINE = 6u;

/// For each state its row forward, then the one backward: position, end, edges (`csr/inline_adjacency.wgsl`).
@group(0) @binding(17) var<storage, read> heads: array<vec4<u32>>;

fn head(direction: u32, state: u32) -> Head {
    let a = heads[4u * state + 2u * direction];
    let b = heads[4u * state + 2u * direction + 1u];
    return Head(a.xy, array(a.z, a.w, b.x, b.y, b.z, b.w));
}

/// The `j`th edge of a state whose row begins at `first`.
fn head_edge(direction: u32, state: u32, first: u32, j: u32) -> u32 {
    if j < INLINE {
        return heads[4u * state + 2u * direction + (2u + j) / 4u][(2u + j) % 4u];
    }
    return edge(direction, first + j);
}

/// Whether this dispatch has the edges of a state.
fn is_here(direction: u32, state: u32) -> bool {
    return true;
}
#else
const INLINE = 1u;

fn head(direction: u32, state: u32) -> Head {
    return Head(row(direction, state), array<u32, INLINE>());
}

fn head_edge(direction: u32, state: u32, first: u32, j: u32) -> u32 {
    return edge(direction, first + j);
}

fn is_here(direction: u32, state: u32) -> bool {
    return is_bound(direction, state);
}
#endif
