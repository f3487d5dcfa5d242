//! Chains: states that are trimmed one after the other, because one other state alone leads to each
//! of them, or because each leads to one other alone. TRIM would follow them step by step.
//!
//! Each state points at the only state of its region that leads to it, or at itself if there are
//! several or none; and at the only state that it leads to, or at itself. Then each state takes
//! over what the state that it points at points at, until nothing changes, which takes O(log n)
//! passes; only on cycles does it never end. If the state at the end of a chain has lost all edges
//! on the side that the chain comes from, then so will each state of the chain. All are trimmed at
//! once, and wait in the queue for TRIM. (`docs/colouring.md`.)
//!
//!     LINK      each state points at its only neighbour on either side
//!     JUMP      it takes over what that one points at
//!     MERGE     chains are trimmed, before states are merged
//!     CHAINED   the end, if that were many
//!
//! Until MERGE and COLOUR, the words of `lib/merge.wgsl` and those of the colours are free for
//! this.
//!
//! flags: CHOICES
#import worklist/lib/degrees
#import worklist/lib/merge

/// The colour of each representative: the key of one. Before COLOUR: what leads to each state.
@group(0) @binding(19) var<storage, read_write> colours: array<atomic<u32>>;

/// LINK.
fn link_states(iteration: Iteration, local: u32) {
    let stride = iteration.groups * SIZE;
    for (var i = iteration.group * SIZE + local; i < params.states; i += stride) {
        if is_bound(1u, i) {
            atomicStore(&colours[i], only_neighbour(iteration, 1u, i));
        }
        if is_bound(0u, i) {
            atomicStore(&pivots[colour_region(i)], only_neighbour(iteration, 0u, i));
        }
    }
}

/// The only state of a state's region that it leads to (direction 0), or that leads to it; or the
/// state itself.
fn only_neighbour(iteration: Iteration, direction: u32, state: u32) -> u32 {
    let word = atomicLoad(&regions[state]);
    let row = row(direction, state);
    if (word & DONE) != 0u || row.y - row.x > MERGED_EDGES {
        return state;
    }
    var found = state;
    for (var j = row.x; j < row.y; j += 1u) {
        let end = edge(direction, j);
        let is_inside = (atomicLoad(&regions[end]) & ~TRIMMED) == (word & NAME);
        if !is_inside || !is_present(iteration, direction, j) {
            continue;
        }
        if found != state && found != end {
            return state;
        }
        found = end;
    }
    return found;
}

/// JUMP.
fn jump(iteration: Iteration, local: u32) {
    let stride = iteration.groups * SIZE;
    for (var i = iteration.group * SIZE + local; i < params.states; i += stride) {
        let before = atomicLoad(&colours[i]);
        let after = named_by(i);
        let first = atomicLoad(&colours[before]);
        let last = named_by(after);
        if first != before {
            atomicStore(&colours[i], first);
        }
        if last != after {
            atomicStore(&pivots[colour_region(i)], last);
        }
        if first != before || last != after {
            atomicStore(&has_changed, 1u);
        }
    }
}

/// MERGE, after JUMP: trims a live state if the state at the end of its chain has lost all edges.
fn trim_chained(iteration: Iteration, state: u32) {
    if !is_live(atomicLoad(&regions[state])) {
        return;
    }
    let first = atomicLoad(&colours[state]);
    let last = named_by(state);
    if first != state && atomicLoad(&degrees[2u * first]) == 0u {
        if claim_trimmed(state) {
            enqueue(iteration, state);
        }
    } else if last != state && atomicLoad(&degrees[2u * last + 1u]) == 0u {
        if claim_trimmed(state) {
            enqueue(iteration, state | BACKWARD);
        }
    }
}

/// MERGE, after JUMP: trims chains; and as `separate_states`.
fn trim_chains(iteration: Iteration, local: u32) {
    let stride = iteration.groups * SIZE;
    for (var base = iteration.group * SIZE; base < params.states; base += stride) {
        let i = base + local;
        if i < params.states {
            trim_chained(iteration, i);
            atomicStore(&pivots[colour_region(i)], i);
        }
        spill(iteration, SPILL_ABOVE, local);
    }
}
