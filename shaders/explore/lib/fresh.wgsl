//! Collects the states that a workgroup has found.
//!
//! A workgroup collects them in its own memory, and appends many at a time to the known states.
//! Every place there is written once, and read only in later iterations.
#import explore/lib/level

/// The number of states that a workgroup collects.
const FRESH = 1024u;

/// The data of the importing kernel about each state.
var<workgroup> fresh: array<u32, FRESH>;
/// The number of states found, including those for which there was no room.
var<workgroup> fresh_len: atomic<u32>;
var<workgroup> fresh_at: u32;

/// Reserves places after the known states for this many. Returns the first of them.
fn reserve(count: u32) -> u32 {
    return atomicAdd(&loop_next.words[LEVEL_NEW_STATES], count);
}
