//! The first search of a round, from the pivots.
//!
//! At the beginning of the queue are the names of the regions that PIVOT has listed. The
//! entries after them, two for each region, are made by the invocation that takes them from the
//! queue.
#import worklist/lib/candidates
#import worklist/lib/queue

/// Returns an entry of the queue to be explored.
fn queue_entry(iteration: Iteration, index: u32) -> u32 {
    if iteration.seeds {
        return seed(iteration, index);
    }
    return queue[index];
}

/// SEED: the best candidate of a region becomes its pivot, and is reached by the search that this
/// entry begins. Another invocation makes the entry of the other search, perhaps at the same time,
/// and writes the same pivot.
fn seed(iteration: Iteration, index: u32) -> u32 {
    let i = index - iteration.head;
    var name = 0u;
    var at = first_pivot_at();
    if !has_first_pivot() {
        name = queue[i / 2u];
        at = name;
    }
    // The key of the best candidate, or the pivot already.
    let best = atomicLoad(&pivots[at]);
    let pivot = select(best, state_of(best), (best & KEY) != 0u);
    let side = i % 2u;
    atomicStore(&pivots[name], pivot);
    // RESULT UNUSED: the bit is only set, by all shards alike.
    atomicOr(&reached[pivot / REACHED_PER_WORD], 1u << (reached_shift(pivot) + side));
    let entry = pivot | (side << 31u);
    queue[index] = entry;
    return entry;
}
