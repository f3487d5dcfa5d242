//! Counts the states of a network (`docs/exploring.md`, "Counting alone"): expands a batch, inserts
//! new states into the hash table, and appends them to the known ones. One invocation per state.
//!
//! checks: debug
//!
//! Reads `groups`, `rows`, `steps`. In `states` an iteration reads what earlier ones wrote, and
//! appends others, every place once. Shares `slots`, which hold vectors, by atomics: an empty word
//! belongs to the invocation that sets it. Owns `control`.
#import explore/lib/fresh
#import explore/lib/level
#import explore/lib/steps
#import explore/lib/whole
#import lib/grid

//@ disjoint states: known states are read, and `reserve` reserves the places after them
@group(0) @binding(4) var<storage, read_write> states: array<u32>;
@group(0) @binding(5) var<storage, read_write> slots: array<atomic<u32>>;
@group(0) @binding(6) var<uniform> params: ExploreParams;

/// Successors that wait in the memory of a workgroup to be looked up: the invocation of the state,
/// and the step.
const WAITING = 2560u;
const STEP_BITS = 24u;

//@ within waiting: writes are below WAITING, and reads below the number of what is written
var<workgroup> waiting: array<u32, WAITING>;
/// The number of successors, including those for which there was no room.
var<workgroup> waiting_len: atomic<u32>;

/// The state that is expanded.
var<private> state: array<u32, 8>;

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
            let successors = expand(batch, begin, local);
            transitions += successors;
            if successors == 0u {
                deadlocks++;
            }
        }
        let all = min(workgroupUniformLoad(&waiting_len), WAITING);
        for (var i = local; i < all; i += SIZE) {
            let origin = batch.first + begin + (waiting[i] >> STEP_BITS);
            let step = waiting[i] & ((1u << STEP_BITS) - 1u);
            for (var word = 0u; word < WORDS; word++) {
                vector[word & 7u] = states[origin * WORDS + word] ^ steps[step * WORDS + word].z;
            }
            look_up(batch.known);
        }
        spill(batch.known, local);
    }
    add_counts(local, transitions, deadlocks);
}

/// The number of new states that can be collected. Their first words come first, then the second.
fn most_fresh() -> u32 {
    return FRESH / WORDS;
}

/// Finds the successors of the invocation's state. Returns their number.
fn expand(batch: Batch, begin: u32, local: u32) -> u32 {
    let number = batch.first + begin + local;
    for (var word = 0u; word < WORDS; word++) {
        state[word & 7u] = states[number * WORDS + word];
    }
    var successors = 0u;
    for (var group = 0u; group < arrayLength(&groups); group++) {
        let row = row_of(groups[group], state[groups[group].x & 7u]);
        for (var step = row.x; step < row.y; step++) {
            if !is_possible(step) {
                continue;
            }
            successors++;
            let place = atomicAdd(&waiting_len, 1u);
            if place < WAITING {
                waiting[place] = (local << STEP_BITS) | step;
                continue;
            }
            for (var word = 0u; word < WORDS; word++) {
                vector[word & 7u] = state[word & 7u] ^ steps[step * WORDS + word].z;
            }
            look_up(batch.known);
        }
    }
    return successors;
}

/// Returns whether the state can take a step.
fn is_possible(step: u32) -> bool {
    for (var word = 0u; word < WORDS; word++) {
        let own = steps[step * WORDS + word];
        if ((state[word & 7u] ^ own.y) & own.x) != 0u {
            return false;
        }
    }
    return true;
}

/// Finds the vector in the table, or puts it there and after the known states.
fn look_up(known: u32) {
    switch find_or_add() {
        case ADDED: {
            add(known);
        }
        case OTHER: {
            atomicStore(&loop_next.words[LEVEL_HOMELESS], 1u);
        }
        default: {}
    }
}

/// Adds the vector, a state that was not known.
fn add(known: u32) {
    let at = atomicAdd(&fresh_len, 1u);
    if at < most_fresh() {
        for (var word = 0u; word < WORDS; word++) {
            fresh[word * most_fresh() + at] = vector[word & 7u];
        }
    } else {
        store(known, reserve(1u));
    }
}

/// Writes what was collected after the known states; all call it together.
fn spill(known: u32, local: u32) {
    let all = min(workgroupUniformLoad(&fresh_len), most_fresh());
    if all == 0u {
        return;
    }
    if local == 0u {
        fresh_at = reserve(all);
    }
    let at = workgroupUniformLoad(&fresh_at);
    for (var i = local; i < all; i += SIZE) {
        for (var word = 0u; word < WORDS; word++) {
            vector[word & 7u] = fresh[word * most_fresh() + i];
        }
        store(known, at + i);
    }
    workgroupBarrier();
}

/// Writes the vector to a place after the known states, if there is room.
fn store(known: u32, place: u32) {
    if place < params.most_states - known {
        for (var word = 0u; word < WORDS; word++) {
            states[(known + place) * WORDS + word] = vector[word & 7u];
        }
    }
}
