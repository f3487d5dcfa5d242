//! The edges of a graph: compressed sparse rows, forward and backward. A dispatch has one shard of
//! each bound. Direction 0 is forward, 1 is backward.
#import worklist/lib/params

@group(0) @binding(0) var<storage, read> offsets: array<u32>;
@group(0) @binding(1) var<storage, read> targets: array<u32>;
@group(0) @binding(2) var<storage, read> back_offsets: array<u32>;
@group(0) @binding(3) var<storage, read> back_targets: array<u32>;

/// Returns whether the edges of a state are bound.
fn is_bound(direction: u32, state: u32) -> bool {
    let rows = params.rows[direction];
    return state >= rows.first_state && state < rows.end_state;
}

/// Returns the row of a state: the positions of its first edge and past its last, among the edges
/// that are bound. The row is empty if another dispatch has these edges.
fn row(direction: u32, state: u32) -> vec2<u32> {
    if !is_bound(direction, state) {
        return vec2(0u);
    }
    let rows = params.rows[direction];
    if direction == 0u {
        return vec2(offsets[state], offsets[state + 1u]) - rows.first_edge;
    }
    return vec2(back_offsets[state], back_offsets[state + 1u]) - rows.first_edge;
}

/// Returns the state at the other end of the edge at a position.
fn edge(direction: u32, position: u32) -> u32 {
    if direction == 0u {
        return targets[position];
    }
    return back_targets[position];
}

/// Returns the numbers of edges that enter and leave a state in the whole graph.
fn all_degrees(state: u32) -> vec2<u32> {
    let leaving = offsets[state + 1u] - offsets[state];
    let entering = back_offsets[state + 1u] - back_offsets[state];
    return vec2(entering, leaving);
}
