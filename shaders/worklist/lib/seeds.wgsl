//! The first search of a round, from the pivots.
//!
//! At the queue's beginning lie the names of the regions that PIVOT has listed; the entries behind them, two for each, are made
//! here by who takes them from the queue.
#import worklist/lib/candidates

/// An entry of the queue to be explored.
fn queued(turn: Turn, index: u32) -> u32 {
    if turn.seeds {
        return seed(turn, index);
    }
    return queue[index];
}

/// SEED: the best candidate of a region becomes its pivot, reached by the search that this entry begins. That of the other
/// search is made by someone else, at the same time perhaps, and says the same.
fn seed(turn: Turn, index: u32) -> u32 {
    let i = index - turn.head;
    var name = 0u;
    var at = first_at();
    if !knew_first() {
        name = queue[i / 2u];
        at = name;
    }
    // The key of the best candidate, or already the pivot.
    let best = atomicLoad(&pivots[at]);
    let pivot = select(best, state_of(best), (best & KEY) != 0u);
    let side = i % 2u;
    atomicStore(&pivots[name], pivot);
    // RESULT UNUSED: the bit is only set, by all shards alike.
    atomicOr(&reached[pivot / 16u], 1u << (reached_shift(pivot) + side));
    let entry = pivot | (side << 31u);
    queue[index] = entry;
    return entry;
}
