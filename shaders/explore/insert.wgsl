//! Step 2 of a batch (`docs/exploring.md`): finds or inserts each candidate in the hash table.
//!
//! checks: debug
//!
//! One invocation per candidate. Reads `states`, `candidates` and `control`, which earlier
//! dispatches wrote. Owns `found`: the number of the candidate's state, if this was known before
//! the batch, and otherwise its slot. Shares `slots` and `tallies`, by atomics: an empty slot
//! belongs to the invocation that sets it, and the least place in a slot is kept.
#import explore/lib/claim
#import explore/lib/control
#import explore/lib/params
#import explore/lib/table
#import explore/lib/vector
#import lib/grid

@group(0) @binding(0) var<storage, read> states: array<u32>;
@group(0) @binding(1) var<storage, read> candidates: array<u32>;
@group(0) @binding(2) var<storage, read> control: array<u32>;
@group(0) @binding(3) var<storage, read_write> slots: array<atomic<u32>>;
@group(0) @binding(4) var<storage, read_write> found: array<u32>;
@group(0) @binding(5) var<storage, read_write> tallies: array<atomic<u32>>;
@group(0) @binding(6) var<uniform> params: ExploreParams;

@compute @workgroup_size(SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) local: u32) {
    let n = control[CANDIDATES];
    for (var i = grid_index(grid, local, SIZE); i < n; i += grid_stride(grid, SIZE)) {
        found[i] = find_or_put(i);
    }
}

fn find_or_put(place: u32) -> u32 {
    let probe = load(place);
    let own = probe.tag | (place + 1u);
    for (var tried = 0u; tried < TRIES * BUCKET; tried++) {
        let slot = slot_of(probe, tried);
        let entry = claim(slot, own);
        if entry == EMPTY {
            return slot;
        }
        if (entry & tag_mask()) != probe.tag {
            continue;
        }
        let index = entry & index_mask();
        if entry >= KNOWN {
            if is_state(index) {
                return NUMBERED | index;
            }
        } else if is_candidate(index - 1u) {
            if entry > own {
                // RESULT UNUSED: what the slot holds is of the same vector, and the least stays.
                atomicMin(&slots[slot], own);
            }
            return slot;
        }
    }
    atomicStore(&tallies[HOMELESS], 1u);
    return HOMELESS_SLOT;
}

/// Loads a candidate and hashes it.
fn load(place: u32) -> Probe {
    for (var word = 0u; word < WORDS; word++) {
        vector[word & 7u] = candidates[place * WORDS + word];
    }
    return probe_of_vector();
}

fn is_state(number: u32) -> bool {
    for (var word = 0u; word < WORDS; word++) {
        if states[number * WORDS + word] != vector[word & 7u] {
            return false;
        }
    }
    return true;
}

fn is_candidate(place: u32) -> bool {
    for (var word = 0u; word < WORDS; word++) {
        if candidates[place * WORDS + word] != vector[word & 7u] {
            return false;
        }
    }
    return true;
}
