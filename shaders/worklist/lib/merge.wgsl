//! Merging: two states of a region that lead to each other by one edge each are in the same
//! component, so they may share a colour. So for colours, a path that can be walked both ways, or a
//! chain of pairs, becomes as short as possible.
//!
//! Merged states have the same *representative*, whose place in `colours` they all use. Each state
//! names another one, with a smaller number, or itself if it is a representative. These words are
//! the places in `pivots` of the regions that colours make, which have no candidates yet.
//!
//!     MERGE     each state is its own representative
//!     HOOK      if two states are to be merged, the one with the larger number names the other one
//!     FLATTEN   each state names what the state that it names does, until nothing changes
//!
//! Not all such pairs are merged: only the first edges of a state are considered, and only those
//! that are bound on both sides. The result does not depend on it.
//!
//! flags: CHOICES
#import worklist/lib/choices
#import worklist/lib/edges
#import worklist/lib/iteration
#import worklist/lib/scratch

/// The number of edges of a state that are examined, on either side.
const MERGED_EDGES = 8u;

/// Whether a colour, or what a state names, has changed.
var<workgroup> has_changed: atomic<u32>;

/// Returns the region of a colour whose root is `state`. All live states are renamed together, so
/// no two such regions exist that were made at different times.
fn colour_region(state: u32) -> u32 {
    return NAMES_PER_STATE * params.states + 1u + state;
}

/// Returns the representative of a state.
fn representative(iteration: Iteration, state: u32) -> u32 {
    if !iteration.is_merged {
        return state;
    }
    return named_by(state);
}

fn named_by(state: u32) -> u32 {
    return atomicLoad(&pivots[colour_region(state)]);
}

/// MERGE.
fn separate_states(iteration: Iteration, local: u32) {
    let stride = iteration.groups * SIZE;
    for (var i = iteration.group * SIZE + local; i < params.states; i += stride) {
        atomicStore(&pivots[colour_region(i)], i);
    }
}

/// HOOK.
fn hook_states(iteration: Iteration, local: u32) {
    let stride = iteration.groups * SIZE;
    for (var i = iteration.group * SIZE + local; i < params.states; i += stride) {
        let word = atomicLoad(&regions[i]);
        if (word & DONE) == 0u && is_bound(0u, i) && is_bound(1u, i) {
            hook_state(iteration, i, word & NAME);
        }
    }
}

/// Merges a state of region `name` with those of smaller numbers that it leads to and that lead to
/// it.
fn hook_state(iteration: Iteration, state: u32, name: u32) {
    let leaving = row(0u, state);
    let entering = row(1u, state);
    let back = vec2(entering.x, min(entering.y, entering.x + MERGED_EDGES));
    for (var j = leaving.x; j < min(leaving.y, leaving.x + MERGED_EDGES); j += 1u) {
        let end = edge(0u, j);
        if end >= state || (atomicLoad(&regions[end]) & ~TRIMMED) != name {
            continue;
        }
        if is_present(iteration, 0u, j) && is_entered_from(iteration, back, end) {
            merge(state, end);
        }
    }
}

/// Returns whether one of the edges that enter a state, at positions `back`, comes from `source`.
fn is_entered_from(iteration: Iteration, back: vec2<u32>, source: u32) -> bool {
    for (var j = back.x; j < back.y; j += 1u) {
        if edge(1u, j) == source && is_present(iteration, 1u, j) {
            return true;
        }
    }
    return false;
}

/// Gives two states the same representative. The larger one names the smaller one; if it named a
/// third one before, that one and the smaller one are to be merged. The larger one of the two gets
/// smaller each time.
fn merge(one: u32, other: u32) {
    var high = max(one, other);
    var low = min(one, other);
    atomicStore(&has_changed, 1u);
    while low < high {
        let before = atomicMin(&pivots[colour_region(high)], low);
        if before == high {
            return;
        }
        high = max(before, low);
        low = min(before, low);
    }
}

/// FLATTEN.
fn flatten(iteration: Iteration, local: u32) {
    let stride = iteration.groups * SIZE;
    for (var i = iteration.group * SIZE + local; i < params.states; i += stride) {
        let near = named_by(i);
        let far = named_by(named_by(near));
        if far != near {
            atomicStore(&pivots[colour_region(i)], far);
            atomicStore(&has_changed, 1u);
        }
    }
}
