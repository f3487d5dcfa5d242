//! Chains: states that are trimmed one after the other, because only one other state leads to each
//! of them, or because each leads to only one other. TRIM would follow them step by step.
//!
//! Each state points at the only state of its region that leads to it, or at itself if there are
//! several or none; and at the only state that it leads to, or at itself. In later rounds of a MEC
//! search, a state points at one to which each of its choices may lead, if there is such a state.
//! Then, if s points at t, s takes over the pointer of t, until no pointer changes. This takes
//! O(log n) passes; only on cycles it never ends. If the state at the end of a chain is trimmed,
//! then so will each state of the chain be. All are trimmed at once, and wait in the queue for
//! TRIM. (`docs/colouring.md`.)
//!
//! Whether the end is trimmed is what LINK has seen, and travels along the chain as a pointer,
//! IS_TRIMMED. MERGE must not ask the state at the end: it may be trimmed in the same pass, so that
//! some states of a chain would be trimmed without those before them.
//!
//!     LINK      each state points at a neighbour on either side; trimmed ones have IS_TRIMMED
//!     JUMP      it takes over the pointer of the state that it points at, until nothing changes
//!     MERGE     chains are trimmed, before states are merged
//!     LINK      in later rounds of a MEC search once more, if that trimmed few
//!     CHAINED   the end, if many were trimmed, and in later rounds of a MEC search in any case
//!
//! Until MERGE and COLOUR, the words of `lib/merge.wgsl` and those of the colours are free for
//! this.
//!
//! flags: CHOICES
#import worklist/lib/degrees
#import worklist/lib/merge

/// The colour of each representative: the key of one. Before COLOUR: what leads to each state.
@group(0) @binding(19) var<storage, read_write> colours: array<atomic<u32>>;

/// In place of a pointer: the chain ends at a trimmed state. No state has this number.
const IS_TRIMMED = STATE;

/// LINK.
fn link_states(iteration: Iteration, local: u32) {
    let stride = iteration.groups * SIZE;
    for (var i = iteration.group * SIZE + local; i < params.states; i += stride) {
        let is_trimmed = (atomicLoad(&regions[i]) & (DONE | TRIMMED)) == TRIMMED;
        if is_bound(1u, i) {
            let neighbour = only_neighbour(iteration, 1u, i);
            atomicStore(&colours[i], select(neighbour, IS_TRIMMED, is_trimmed));
        }
        if is_bound(0u, i) {
            let neighbour = next_of_chain(iteration, i);
            atomicStore(&pivots[colour_region(i)], select(neighbour, IS_TRIMMED, is_trimmed));
        }
    }
}

/// Returns the state that a state points at among those that it leads to.
fn next_of_chain(iteration: Iteration, state: u32) -> u32 {
#ifdef CHOICES
    if iteration.is_pruned {
        return common_target(state);
    }
#endif
    return only_neighbour(iteration, 0u, state);
}

/// Returns whether a state that may point at several states points at the one with the largest
/// number; if not, at that with the smallest one. First the one, then the other, since one of the
/// two may not be on a way to trimmed states.
fn prefers_larger() -> bool {
    return loop_now.words[CONTROL_LINKS] == 0u;
}

#ifdef CHOICES
/// Returns a state of a state's region to which each choice that is left of it may lead; or the
/// state itself.
fn common_target(state: u32) -> u32 {
    let word = atomicLoad(&regions[state]);
    let row = row(0u, state);
    if !is_live(word) || row.y - row.x > MERGED_EDGES {
        return state;
    }
    var found = state;
    for (var j = row.x; j < row.y; j += 1u) {
        let end = targets[j];
        let is_inside = (atomicLoad(&regions[end]) & ~TRIMMED) == word;
        let is_better = found == state || (end > found) == prefers_larger();
        if is_inside && is_better && all_lead_to(row, end) {
            found = end;
        }
    }
    return found;
}

/// Returns whether each choice that is left of those in a row may lead to `end`, and there is one.
fn all_lead_to(row: vec2<u32>, end: u32) -> bool {
    var is_any = false;
    for (var j = row.x; j < row.y; j += 1u) {
        let choice = edge_choices[j];
        if !is_left(choice) {
            continue;
        }
        is_any = true;
        var leads = false;
        for (var k = row.x; k < row.y; k += 1u) {
            leads |= targets[k] == end && edge_choices[k] == choice;
        }
        if !leads {
            return false;
        }
    }
    return is_any;
}
#endif

/// Returns the only state of a state's region that it leads to (direction 0), or that leads to it;
/// or the state itself.
fn only_neighbour(iteration: Iteration, direction: u32, state: u32) -> u32 {
    let word = atomicLoad(&regions[state]);
    let row = row(direction, state);
    if !is_live(word) || row.y - row.x > MERGED_EDGES {
        return state;
    }
    var found = state;
    for (var j = row.x; j < row.y; j += 1u) {
        let end = edge(direction, j);
        let is_inside = (atomicLoad(&regions[end]) & ~TRIMMED) == word;
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
        var first = before;
        if before != IS_TRIMMED {
            first = atomicLoad(&colours[before]);
        }
        var last = after;
        if after != IS_TRIMMED {
            last = named_by(after);
        }
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

/// MERGE, after JUMP: trims a live state if the state at the end of its chain is trimmed.
fn trim_chained(iteration: Iteration, state: u32) {
    if !is_live(atomicLoad(&regions[state])) {
        return;
    }
    if atomicLoad(&colours[state]) == IS_TRIMMED {
        if claim_trimmed(state) {
            enqueue(iteration, state);
        }
    } else if named_by(state) == IS_TRIMMED {
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
