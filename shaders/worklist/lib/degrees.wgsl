//! The degrees of states on the device, and states that are trimmed because of them.
//!
//! flags: CHOICES
#import worklist/lib/choices
#import worklist/lib/queue

/// Counts the edges of a state of region 0, all of which count, and trims the state if it lacks
/// edges in a direction. Returns its degrees.
fn init_degrees(iteration: Iteration, state: u32) -> vec2<u32> {
    let count = all_degrees(state);
    atomicStore(&degrees[2u * state], count.x);
    atomicStore(&degrees[2u * state + 1u], count.y);
    if (params.stages & STAGE_TRIM) != 0u {
        trim_if_edgeless(iteration, state, 0u, count);
    }
    return count;
}

/// Returns the degrees of a state as they are now.
fn degrees_of(state: u32) -> vec2<u32> {
    return vec2(atomicLoad(&degrees[2u * state]), atomicLoad(&degrees[2u * state + 1u]));
}

/// Trims a live state of region `name` that no edge enters, or none leaves.
fn trim_if_edgeless(iteration: Iteration, state: u32, name: u32, count: vec2<u32>) {
    if count.x == 0u || count.y == 0u {
        atomicStore(&regions[state], name | TRIMMED);
        enqueue(iteration, state | select(BACKWARD, 0u, count.x == 0u));
    }
}

/// Subtracts an edge that enters a state (side 0) or leaves it (side 1). With the last one the
/// state is trimmed, and its other edges are to be subtracted. Returns whether this invocation is
/// to enter the state into the queue.
//@ once subtract_edge(state): whichever side loses its last edge first enters the state
fn subtract_edge(state: u32, side: u32) -> bool {
    return atomicSub(&degrees[2u * state + side], 1u) == 1u && claim_trimmed(state);
}

/// Trims a state that has no edge left on one side. Another invocation may subtract the last edge
/// of its other side at the same moment: the one that finds the state live enters it into the
/// queue, and the other does not. A second entry would read a component's name where the first one
/// has written it, take that for the region's, and subtract edges that were cut before.
//@ once claim_trimmed(state): who finds the state live enters it
fn claim_trimmed(state: u32) -> bool {
    return is_live(atomicOr(&regions[state], TRIMMED));
}

/// Returns the row to follow from an entry of the queue, whose state has this word. In TRIM it is
/// empty if the state is done: its entry for the other side was followed first, both degrees are 0,
/// and the word no longer names the region.
fn row_to_follow(phase: u32, word: u32, row: vec2<u32>) -> vec2<u32> {
    return select(row, vec2(0u), phase == PHASE_TRIM && (word & DONE) != 0u);
}

/// Returns the word of a state whose edges TRIM has subtracted: it is a component by itself.
fn trimmed_word(state: u32) -> u32 {
#ifdef CHOICES
    // All of its choices leave it, but those that lead to the state alone.
    let has_loop = (atomicLoad(&retained[state]) & LOOP) != 0u;
    return select(DEAD, DONE | END_COMPONENT | state, has_loop);
#else
    return DONE | state;
#endif
}
