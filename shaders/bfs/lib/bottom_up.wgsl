//! Bottom up: looks for unreached states with an edge from the frontier, by their reverse edges.
//!
//! In an iteration, distances only change from UNREACHED to `level + 1`; so whether a state is in
//! the frontier does not depend on how far other invocations have come.
//!
//! flags: TRANSPOSED
#import bfs/lib/expand
#ifdef TRANSPOSED

@group(0) @binding(5) var<storage, read> back_offsets: array<u32>;
@group(0) @binding(6) var<storage, read> back_targets: array<u32>;

/// An invocation looks at so many reverse edges of a state alone; several share the others.
const EDGES_ALONE = 4u;
/// SIZE is 2 to this power.
const LOG_SIZE = 8u;
const_assert SIZE == 1u << LOG_SIZE;

/// All workgroups: each looks at its share of the states.
fn bottom_up(frontier: Frontier, group: u32, groups: u32, local: u32) {
    let into = Collected(0u, FOUND);
    for (var first = group * SIZE; first < params.states; first += groups * SIZE) {
        if local < params.states - first {
            look_for_parent(frontier, into, first + local);
        }
        let rows = workgroupUniformLoad(&long_rows_len);
        if rows != 0u {
            share_reverse_rows(frontier, into, rows, local);
            workgroupBarrier();
            if local == 0u {
                atomicStore(&long_rows_len, 0u);
            }
        }
        spill(frontier, into, SPILL_ABOVE, local);
    }
    spill(frontier, into, 0u, local);
}

fn is_in_frontier(frontier: Frontier, state: u32) -> bool {
    return atomicLoad(&distances[state]) == frontier.level;
}

/// Looks at the first reverse edges of a state, and defers the others.
fn look_for_parent(frontier: Frontier, into: Collected, state: u32) {
    if atomicLoad(&distances[state]) != UNREACHED {
        return;
    }
    let all = vec2(arrayLength(&back_targets));
    let row = min(vec2(back_offsets[state], back_offsets[state + 1u]), all);
    let end = min(row.y, row.x + EDGES_ALONE);
    for (var j = row.x; j < end; j += 1u) {
        if is_in_frontier(frontier, back_targets[j]) {
            find(frontier, frontier.level, into, state);
            return;
        }
    }
    if end < row.y {
        let at = atomicAdd(&long_rows_len, 1u);
        long_rows[at] = vec2(end, row.y);
        bases[at] = state;
    }
}

/// Looks at the reverse edges that were deferred. The fewer rows there are, the more invocations
/// share each.
fn share_reverse_rows(frontier: Frontier, into: Collected, rows: u32, local: u32) {
    let log = LOG_SIZE - (32u - countLeadingZeros(rows - 1u));
    let width = 1u << log;
    for (var i = local >> log; i < rows; i += SIZE >> log) {
        let row = long_rows[i];
        let state = bases[i];
        for (var j = row.x + (local & (width - 1u)); j < row.y; j += width) {
            let is_found = is_in_frontier(frontier, back_targets[j]);
            if is_found {
                find(frontier, frontier.level, into, state);
            }
            if is_found || atomicLoad(&distances[state]) != UNREACHED {
                break;
            }
        }
    }
}
#endif
