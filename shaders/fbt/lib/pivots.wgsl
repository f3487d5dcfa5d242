//! Computes where the pivot of a region is found while pivots are selected (2016 paper, Algorithm
//! 6).
//! The hash is that of line 17. The hash in the text, `region + B + 2F`, sends different regions to
//! the same place. The first word of the loop is the turn.
#import lib/loop
#import fbt/lib/results

struct SelectParams {
    states: u32,
    /// The number of entries of all shards, |E|.
    all_entries: u32,
    /// The entries that are bound.
    first_entry: u32,
    end_entry: u32,
    /// The number of places of states that compete: a power of two, at least the number of states.
    places: u32,
    /// Below `places`: the state at place k is k ^ order.
    order: u32,
    padding_0: u32,
    padding_1: u32,
}

/// Returns a different hash for each region; `info` is a word of `results` that is not done.
fn hash_of(info: u32) -> u32 {
    let in_backward = select(0u, 1u, (info & BACKWARD_MARK) != 0u);
    let in_forward = select(0u, 2u, (info & FORWARD_MARK) != 0u);
    return 3u * (info & REGION) + in_backward + in_forward;
}

fn turn_now() -> u32 {
    return select(~loop_now.words[0], 0u, loop_now.iteration == 0u);
}

/// Returns the word of a state that knows its pivot, as the locked entry gives it. Both marks, so
/// that it is told apart from one that is locked because its region is left over.
fn dealt_with(entry: u32) -> u32 {
    return DONE | entry;
}
