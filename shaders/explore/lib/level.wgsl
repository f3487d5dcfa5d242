//! The state of a search that counts states, level by level, in any order within a level
//! (`expand`).
//! A *batch* is a range of states, all of one level. An iteration expands a batch. The next
//! iteration checks whether this succeeded, and then accepts the results. If it did not, or if no
//! state is left, the loop ends, and the host learns the reason.
#import explore/lib/control
#import explore/lib/params
#import lib/grid
#import lib/loop

// Words of the loop's record.

/// The number of states that were known before the last batch.
const LEVEL_KNOWN = 0u;
/// The number of states that were expanded, including the last batch.
const LEVEL_EXPANDED = 1u;
/// The number of transitions before the last batch, low and high word.
const LEVEL_TRANSITIONS = 2u;
const LEVEL_TRANSITIONS_HIGH = 3u;
/// The number of deadlocks before the last batch.
const LEVEL_DEADLOCKS = 4u;
/// The first state of the last batch.
const LEVEL_START = 5u;
/// The end of its level.
const LEVEL_END = 6u;
/// The largest number of states of a batch.
const LEVEL_LIMIT = 7u;
/// The results of the last batch: states, transitions, deadlocks.
const LEVEL_NEW_STATES = 8u;
const LEVEL_NEW_TRANSITIONS = 9u;
const LEVEL_NEW_DEADLOCKS = 10u;
/// Whether the last batch found a state for which the table has no slot.
const LEVEL_HOMELESS = 11u;

//@ disjoint control: one invocation writes it, the first of the dispatch, and none reads it
@group(0) @binding(0) var<storage, read_write> control: array<u32>;

/// The transitions and deadlocks that a workgroup has counted.
var<workgroup> counted_transitions: atomic<u32>;
var<workgroup> counted_deadlocks: atomic<u32>;

/// The batch of an iteration.
struct Batch {
    /// The first state, and the number of states.
    first: u32,
    count: u32,
    /// The number of known states, and of those that the last batch has found.
    known: u32,
    found: u32,
    /// The end of the level.
    end: u32,
    limit: u32,
    /// The reason why the search stops.
    stop: u32,
}

fn load_batch() -> Batch {
    let before = loop_now.words[LEVEL_KNOWN];
    let found = loop_now.words[LEVEL_NEW_STATES];
    var batch = Batch(
        loop_now.words[LEVEL_EXPANDED],
        0u,
        before + found,
        found,
        loop_now.words[LEVEL_END],
        loop_now.words[LEVEL_LIMIT],
        RUNNING,
    );
    if loop_now.words[LEVEL_HOMELESS] != 0u {
        batch.stop = OVERFLOW;
    } else if found > params.most_states - before {
        batch.stop = FULL;
    } else if batch.first == batch.known {
        batch.stop = FINISHED;
    } else {
        batch.limit = min(2u * batch.limit, params.most_batch);
    }
    if batch.stop == RUNNING {
        if batch.first == batch.end {
            batch.end = batch.known;
        }
        batch.count = min(batch.end - batch.first, batch.limit);
    }
    return batch;
}

/// Hands the batch on to the next iteration, or tells the host why there is none. One invocation
/// calls it.
fn hand_on(batch: Batch, groups: u32) {
    var low = loop_now.words[LEVEL_TRANSITIONS];
    var high = loop_now.words[LEVEL_TRANSITIONS_HIGH];
    var deadlocks = loop_now.words[LEVEL_DEADLOCKS];
    let is_undone = batch.stop == OVERFLOW || batch.stop == FULL;
    if !is_undone {
        let more = loop_now.words[LEVEL_NEW_TRANSITIONS];
        low += more;
        if low < more {
            high++;
        }
        deadlocks += loop_now.words[LEVEL_NEW_DEADLOCKS];
    }
    if batch.stop != RUNNING {
        control[STOP] = batch.stop;
        control[NEEDED] = batch.known;
        control[KNOWN_STATES] = batch.known - select(0u, batch.found, is_undone);
        control[END] = select(batch.first, loop_now.words[LEVEL_START], is_undone);
        control[LEVEL] = batch.end;
        control[TRANSITIONS] = low;
        control[TRANSITIONS_HIGH] = high;
        control[NO_SUCCESSORS] = deadlocks;
        return;
    }
    atomicStore(&loop_next.words[LEVEL_KNOWN], batch.known);
    atomicStore(&loop_next.words[LEVEL_EXPANDED], batch.first + batch.count);
    atomicStore(&loop_next.words[LEVEL_TRANSITIONS], low);
    atomicStore(&loop_next.words[LEVEL_TRANSITIONS_HIGH], high);
    atomicStore(&loop_next.words[LEVEL_DEADLOCKS], deadlocks);
    atomicStore(&loop_next.words[LEVEL_START], batch.first);
    atomicStore(&loop_next.words[LEVEL_END], batch.end);
    atomicStore(&loop_next.words[LEVEL_LIMIT], batch.limit);
    loop_again(groups);
}

/// Adds the counts of the invocations of a workgroup; all call it together.
fn add_counts(local: u32, transitions: u32, deadlocks: u32) {
    if local == 0u {
        atomicStore(&counted_transitions, 0u);
        atomicStore(&counted_deadlocks, 0u);
    }
    workgroupBarrier();
    // RESULT UNUSED: the sums are read after the barrier.
    atomicAdd(&counted_transitions, transitions);
    // RESULT UNUSED: as above.
    atomicAdd(&counted_deadlocks, deadlocks);
    workgroupBarrier();
    if local == 0u {
        let loops = params.self_loops * atomicLoad(&counted_deadlocks);
        let all = atomicLoad(&counted_transitions) + loops;
        if all > 0u {
            // RESULT UNUSED: the sum is looked at by the next iteration.
            atomicAdd(&loop_next.words[LEVEL_NEW_TRANSITIONS], all);
        }
        let none = atomicLoad(&counted_deadlocks);
        if none > 0u {
            // RESULT UNUSED: as above.
            atomicAdd(&loop_next.words[LEVEL_NEW_DEADLOCKS], none);
        }
    }
}
