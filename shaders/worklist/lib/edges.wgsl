//! The edges of the fast engine: compressed sparse rows, forward and backward, of which a dispatch has a shard each.
#import worklist/lib/control

@group(0) @binding(0) var<storage, read> offsets: array<u32>;
@group(0) @binding(1) var<storage, read> targets: array<u32>;
@group(0) @binding(2) var<storage, read> back_offsets: array<u32>;
@group(0) @binding(3) var<storage, read> back_targets: array<u32>;

/// Whether this dispatch has the edges of a state; direction 0 is forward, 1 backward.
fn is_bound(direction: u32, state: u32) -> bool {
    let rows = params.rows[direction];
    return state >= rows.first_state && state < rows.end_state;
}

/// The positions among the edges bound of the first edge and past the last; none, if another dispatch has them.
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

fn edge(direction: u32, position: u32) -> u32 {
    if direction == 0u {
        return targets[position];
    }
    return back_targets[position];
}
