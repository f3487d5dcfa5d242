//! Expands the states of a batch, each of one word: counts their successors, and puts those that
//! are new into the hash table and behind the known states.
//!
//! A slot of the table is 0, or a whole vector and 1. So one compare-and-swap decides about it, and
//! there is nothing else to look at.
//!
//! checks: debug
//!
//! Reads `groups`, `rows`, `steps`. In `states` an iteration reads what earlier ones wrote, and
//! writes behind that, every place once. Shares `slots`, by atomic operations: an empty slot
//! belongs to whoever changed it. Owns `control`.
#import explore/lib/claim
#import explore/lib/fresh
#import explore/lib/level
#import explore/lib/steps
#import explore/lib/table
#import lib/grid

//@ disjoint states: those that were known are read; places behind them are reserved by `reserve`
@group(0) @binding(4) var<storage, read_write> states: array<u32>;
@group(0) @binding(5) var<storage, read_write> slots: array<atomic<u32>>;
@group(0) @binding(6) var<uniform> params: ExploreParams;

/// Successors that wait in the memory of a workgroup to be looked up.
const WAITING = 2560u;

//@ within waiting: writes are below WAITING, and reads below the number of what is written
var<workgroup> waiting: array<u32, WAITING>;
/// How many successors there are, including those for which there was no room.
var<workgroup> waiting_len: atomic<u32>;

@compute @workgroup_size(SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) local: u32) {
    if loop_now.x == 0u {
        return;
    }
    let batch = load_batch();
    let first = grid_index(grid, 0u, SIZE);
    if first == 0u && local == 0u {
        hand_on(batch, grid.count.x);
    }
    var transitions = 0u;
    var deadlocks = 0u;
    for (var begin = first; begin < batch.count; begin += grid_stride(grid, SIZE)) {
        if local == 0u {
            atomicStore(&waiting_len, 0u);
            atomicStore(&fresh_len, 0u);
        }
        workgroupBarrier();
        if begin + local < batch.count {
            let successors = expand(batch.known, states[batch.first + begin + local]);
            transitions += successors;
            if successors == 0u {
                deadlocks++;
            }
        }
        let all = min(workgroupUniformLoad(&waiting_len), WAITING);
        for (var i = local; i < all; i += SIZE) {
            look_up(batch.known, waiting[i]);
        }
        spill(batch.known, local);
    }
    add_counts(local, transitions, deadlocks);
}

/// Finds the successors of a state. Returns how many there are.
fn expand(known: u32, state: u32) -> u32 {
    var successors = 0u;
    for (var group = 0u; group < arrayLength(&groups); group++) {
        let row = row_of(groups[group], state);
        for (var at = row.x; at < row.y; at++) {
            let step = steps[at];
            if ((state ^ step.y) & step.x) != 0u {
                continue;
            }
            successors++;
            let place = atomicAdd(&waiting_len, 1u);
            if place < WAITING {
                waiting[place] = state ^ step.z;
            } else {
                look_up(known, state ^ step.z);
            }
        }
    }
    return successors;
}

/// Finds a vector in the table, or puts it there and behind the known states.
fn look_up(known: u32, vector: u32) {
    let own = vector + 1u;
    let probe = probe_of_word(vector);
    for (var tried = 0u; tried < TRIES * BUCKET; tried++) {
        let entry = claim(slot_of(probe, tried), own);
        if entry == EMPTY {
            add(known, vector);
            return;
        }
        if entry == own {
            return;
        }
    }
    atomicStore(&loop_next.words[LEVEL_HOMELESS], 1u);
}

/// Adds a state that was not known.
fn add(known: u32, vector: u32) {
    let at = atomicAdd(&fresh_len, 1u);
    if at < FRESH {
        fresh[at] = vector;
    } else {
        store(known, reserve(1u), vector);
    }
}

/// Writes what was collected behind the known states; all call it together.
fn spill(known: u32, local: u32) {
    let all = min(workgroupUniformLoad(&fresh_len), FRESH);
    if all == 0u {
        return;
    }
    if local == 0u {
        fresh_at = reserve(all);
    }
    let at = workgroupUniformLoad(&fresh_at);
    for (var i = local; i < all; i += SIZE) {
        store(known, at + i, fresh[i]);
    }
    workgroupBarrier();
}

/// Writes a state to a place behind the known ones, if there is room.
fn store(known: u32, place: u32, vector: u32) {
    if place < params.most_states - known {
        states[known + place] = vector;
    }
}
