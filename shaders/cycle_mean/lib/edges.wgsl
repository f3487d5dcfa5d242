//! Edges as the host lays them out, with their weights and times.
//!
//! flags: WIDE
//!
//! An entry of `edges` is a target and a weight, which is not negative; the time is 1. An entry of
//! `wide_edges` (`WIDE`) is a target, a time, and a signed weight of two words.
#import lib/int64

#ifdef WIDE
@group(0) @binding(2) var<storage, read> wide_edges: array<vec4<u32>>;
#else
@group(0) @binding(1) var<storage, read> edges: array<vec2<u32>>;
#endif

struct Edge {
    to: u32,
    time: u32,
    weight: vec2<u32>,
}

fn edge_at(number: u32) -> Edge {
#ifdef WIDE
    let words = wide_edges[number];
    return Edge(words.x, words.y, words.zw);
#else
    let words = edges[number];
    return Edge(words.x, 1u, vec2<u32>(words.y, 0u));
#endif
}
