//! Inserts all known states, which are different, into an empty hash table: a larger one, or the
//! same one when a batch was undone. One invocation per state.
//!
//! flags: WHOLE
//! checks: debug
//!
//! With WHOLE, slots hold vectors, and otherwise numbers of states. Reads `states`, `control`.
//! Shares `slots` and `tallies`, by atomic operations: an empty word of a slot belongs to the
//! invocation that sets it.
#import explore/lib/claim
#import explore/lib/control
#import explore/lib/params
#import explore/lib/table
#import explore/lib/whole
#import lib/grid

@group(0) @binding(0) var<storage, read> states: array<u32>;
@group(0) @binding(1) var<storage, read> control: array<u32>;
@group(0) @binding(2) var<storage, read_write> slots: array<atomic<u32>>;
@group(0) @binding(3) var<storage, read_write> tallies: array<atomic<u32>>;
@group(0) @binding(4) var<uniform> params: ExploreParams;

@compute @workgroup_size(SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) local: u32) {
    let n = control[KNOWN_STATES];
    for (var i = grid_index(grid, local, SIZE); i < n; i += grid_stride(grid, SIZE)) {
        if !put(i) {
            atomicStore(&tallies[HOMELESS], 1u);
        }
    }
}

/// Puts a state into the first empty slot of its order.
fn put(state: u32) -> bool {
    for (var word = 0u; word < WORDS; word++) {
        vector[word & 7u] = states[state * WORDS + word];
    }
#ifdef WHOLE
    return find_or_add() != OTHER;
#else
    let probe = probe_of_vector();
    let own = KNOWN | probe.tag | state;
    for (var tried = 0u; tried < TRIES * BUCKET; tried++) {
        let slot = slot_of(probe, tried);
        if claim(slot, own) == EMPTY {
            return true;
        }
    }
    return false;
#endif
}
