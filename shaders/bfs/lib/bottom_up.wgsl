//! Bottom up: looks for unreached states with an edge from the frontier, by their reverse edges.
//!
//! flags: TRANSPOSED
#import bfs/lib/follow
#ifdef TRANSPOSED

/// The states of the frontier.
@group(0) @binding(5) var<storage, read> fresh: array<u32>;
@group(0) @binding(6) var<storage, read> back_offsets: array<u32>;
@group(0) @binding(7) var<storage, read> back_targets: array<u32>;

/// A frontier is explored bottom up if it has more than one in ALPHA of the edges that are left
/// (S. Beamer, K. Asanović, D. Patterson: *Direction-optimizing breadth-first search*, 2012,
/// section IV).
const ALPHA = 14u;
/// An invocation looks at so many reverse edges of a state alone, four at a time; all invocations
/// share the others.
const EDGES_ALONE = 64u;

/// States of a block that were found.
//@ within found: a place in a block, divided by 32
var<workgroup> found: array<atomic<u32>, BLOCK_WORDS>;
/// The states of `long_rows`, as places in a block.
//@ within long_states: as `long_rows`, whose length is limited
var<workgroup> long_states: array<u32, SIZE>;

fn goes_bottom_up(frontier: Frontier) -> bool {
    let before = min(params.edges, frontier.explored + frontier.edges);
    return frontier.edges > (params.edges - before) / ALPHA;
}

/// All workgroups: each looks at its share of the states, and marks those that it finds.
fn bottom_up(group: u32, groups: u32, local: u32) {
    for (var block = group; block < blocks_of(params.states); block += groups) {
        let first = block * BLOCK;
        for (var at = local; at < min(BLOCK, params.states - first); at += SIZE) {
            let state = first + at;
            if (seen[state >> 5u] & bit_of(state)) == 0u {
                look_for_parent(state, at);
            }
        }
        let rows = min(workgroupUniformLoad(&long_rows_len), SIZE);
        for (var i = 0u; i < rows; i += 1u) {
            share_reverse_row(i, local);
        }
        workgroupBarrier();
        if local == 0u {
            atomicStore(&long_rows_len, 0u);
        }
        let word = block * BLOCK_WORDS + local;
        if local < BLOCK_WORDS && word < words_of(params.states) {
            mark(word, atomicExchange(&found[local], 0u));
        }
        workgroupBarrier();
    }
}

/// Looks at the first reverse edges of a state, and defers the others. The state has the place `at`
/// in its block.
fn look_for_parent(state: u32, at: u32) {
    let all = vec2(arrayLength(&back_targets));
    let row = min(vec2(back_offsets[state], back_offsets[state + 1u]), all);
    var end = min(row.y, row.x + EDGES_ALONE);
    if end < row.y {
        let long = atomicAdd(&long_rows_len, 1u);
        if long < SIZE {
            long_rows[long] = vec2(end, row.y);
            long_states[long] = at;
        } else {
            end = row.y;
        }
    }
    for (var j = row.x; j < end; j += 4u) {
        if is_one_fresh(min(vec4(j) + vec4(0u, 1u, 2u, 3u), vec4(end - 1u))) {
            // RESULT UNUSED: the bit is only set.
            atomicOr(&found[at >> 5u], bit_of(at));
            return;
        }
    }
}

/// Returns whether one of four reverse edges comes from the frontier.
fn is_one_fresh(at: vec4<u32>) -> bool {
    let ends = vec4(
        back_targets[at.x],
        back_targets[at.y],
        back_targets[at.z],
        back_targets[at.w],
    );
    let word = ends >> vec4(5u);
    let words = vec4(fresh[word.x], fresh[word.y], fresh[word.z], fresh[word.w]);
    return any((words & (vec4(1u) << (ends & vec4(31u)))) != vec4(0u));
}

/// All invocations look at the reverse edges of a row that was deferred.
fn share_reverse_row(i: u32, local: u32) {
    let row = long_rows[i];
    let at = long_states[i];
    for (var j = row.x + local; j < row.y; j += SIZE) {
        if (atomicLoad(&found[at >> 5u]) & bit_of(at)) != 0u {
            break;
        }
        let end = back_targets[j];
        if (fresh[end >> 5u] & bit_of(end)) != 0u {
            // RESULT UNUSED: the bit is only set.
            atomicOr(&found[at >> 5u], bit_of(at));
        }
    }
}
#endif
