//! The control record of the worklist engine's loop: what an iteration stores for the next one.
//!
//! Each word of the loop's record (`lib/loop.wgsl`) has one meaning, whatever the phase. Workgroups
//! add to the counters together, and set flags. One invocation stores the other words (`commit`) at
//! the end of the iteration.
#import lib/loop
#import worklist/lib/params
#import worklist/lib/phases

/// Counter: entries that were added to the queue.
const CONTROL_ADDED = 0u;
/// Counter: entries that were explored without being in the queue. SEARCH logs them at its far end.
const CONTROL_FOLLOWED = 1u;
/// Counter: hubs that are listed for the next iteration.
const CONTROL_HUBS = 2u;
/// Counter, in PIVOT: regions that have a candidate.
const CONTROL_REGIONS = 3u;
/// Counter, in RENAME: roots that are live.
const CONTROL_LIVE_ROOTS = 4u;
/// Counter, in phases that count states; other phases hand it on: how many states were live when
/// they were last counted.
const CONTROL_LIVE = 5u;
/// FLAG_...: set by workgroups, or handed on.
const CONTROL_FLAGS = 6u;
/// The next phase.
const CONTROL_PHASE = 7u;
/// The last phase, and the number of workgroups that worked in it.
const CONTROL_RAN = 8u;
const CONTROL_WORKED = 9u;
/// The place where the queue's entries begin; the names of regions lie before them.
const CONTROL_START = 10u;
/// The entries from `head` to `end`, and those added since, are to be explored.
const CONTROL_HEAD = 11u;
const CONTROL_END = 12u;
/// The number of entries that previous iterations of a search have logged.
const CONTROL_LOGGED = 13u;
/// The number of times that regions were divided, by searches from pivots or by colours.
const CONTROL_ROUND = 14u;
/// The number of live states when pivots were selected the last time but one, or 0.
const CONTROL_LIVE_BEFORE = 15u;
/// The number of recent iterations that have found little.
const CONTROL_THIN = 16u;
/// The number of rounds that have decided little.
const CONTROL_SLOW_ROUNDS = 17u;
/// The round in which colours began to divide regions.
const CONTROL_COLOURED_SINCE = 18u;
/// While colours divide regions: 1 if their keys are mixed; 1 if states are merged.
const CONTROL_MIXED = 19u;
const CONTROL_MERGED = 20u;
/// While colours divide regions: the number of times that chains were linked.
const CONTROL_LINKS = 21u;
/// The number of iterations in a row of a phase that is repeated until nothing changes.
const CONTROL_PASSES = 22u;

/// Choices have been removed.
const FLAG_PRUNED = 1u;
/// No edge was cut since components became regions.
const FLAG_UNCUT = 2u;
/// Set by workgroups: a state lacks edges in a direction, so the graph is not one component.
const FLAG_LACKS_EDGES = 4u;
/// Set by workgroups: this pass of a phase has changed something.
const FLAG_CHANGED = 8u;
/// Set by workgroups: the round of a MEC search has removed a choice, or is the first one.
const FLAG_PROGRESS = 16u;

/// The words that one invocation stores, except for those about the last iteration.
struct Control {
    /// 0 if workgroups count live states.
    live: u32,
    /// FLAG_PRUNED, FLAG_UNCUT.
    flags: u32,
    start: u32,
    head: u32,
    end: u32,
    logged: u32,
    round: u32,
    live_before: u32,
    thin: u32,
    slow_rounds: u32,
    coloured_since: u32,
    is_mixed: bool,
    is_merged: bool,
    links: u32,
    passes: u32,
}

/// Returns what the previous iteration has stored, except for the number of passes.
fn load_control() -> Control {
    return Control(
        loop_now.words[CONTROL_LIVE],
        loop_now.words[CONTROL_FLAGS] & (FLAG_PRUNED | FLAG_UNCUT),
        loop_now.words[CONTROL_START],
        loop_now.words[CONTROL_HEAD],
        loop_now.words[CONTROL_END],
        loop_now.words[CONTROL_LOGGED],
        loop_now.words[CONTROL_ROUND],
        loop_now.words[CONTROL_LIVE_BEFORE],
        loop_now.words[CONTROL_THIN],
        loop_now.words[CONTROL_SLOW_ROUNDS],
        loop_now.words[CONTROL_COLOURED_SINCE],
        loop_now.words[CONTROL_MIXED] != 0u,
        loop_now.words[CONTROL_MERGED] != 0u,
        loop_now.words[CONTROL_LINKS],
        0u,
    );
}

/// Returns the phase that the iteration before asks for.
fn scheduled_phase() -> u32 {
    return loop_now.words[CONTROL_PHASE];
}

/// Returns whether a workgroup of the iteration before has set a flag.
fn has_flag(flag: u32) -> bool {
    return (loop_now.words[CONTROL_FLAGS] & flag) != 0u;
}

/// Sets a flag for the next iteration.
fn set_flag(flag: u32) {
    // RESULT UNUSED: the flag is only set, by whichever workgroups find a reason.
    atomicOr(&loop_next.words[CONTROL_FLAGS], flag);
}

/// Returns whether the loop has ended, so that this iteration has nothing to do. Asked after the
/// other words of the record were read: they lie beside each other, and take one access to memory.
fn is_over() -> bool {
    return loop_now.x == 0u;
}

/// Stores control for the next iteration: the phase to run, the phase that ran, and how many
/// workgroups worked. One invocation calls it.
fn commit(phase: u32, ran: u32, groups: u32, next: Control, goes_on: bool) {
    // Only this invocation adds to it where workgroups do not count.
    atomicAdd(&loop_next.words[CONTROL_LIVE], next.live);
    // RESULT UNUSED: only this invocation sets these flags; workgroups set flags of their own.
    atomicOr(&loop_next.words[CONTROL_FLAGS], next.flags);
    atomicStore(&loop_next.words[CONTROL_PHASE], phase);
    atomicStore(&loop_next.words[CONTROL_RAN], ran);
    atomicStore(&loop_next.words[CONTROL_WORKED], groups);
    atomicStore(&loop_next.words[CONTROL_START], next.start);
    atomicStore(&loop_next.words[CONTROL_HEAD], next.head);
    atomicStore(&loop_next.words[CONTROL_END], next.end);
    atomicStore(&loop_next.words[CONTROL_LOGGED], next.logged);
    atomicStore(&loop_next.words[CONTROL_ROUND], next.round);
    atomicStore(&loop_next.words[CONTROL_LIVE_BEFORE], next.live_before);
    atomicStore(&loop_next.words[CONTROL_THIN], next.thin);
    atomicStore(&loop_next.words[CONTROL_SLOW_ROUNDS], next.slow_rounds);
    atomicStore(&loop_next.words[CONTROL_COLOURED_SINCE], next.coloured_since);
    atomicStore(&loop_next.words[CONTROL_MIXED], u32(next.is_mixed));
    atomicStore(&loop_next.words[CONTROL_MERGED], u32(next.is_merged));
    atomicStore(&loop_next.words[CONTROL_LINKS], next.links);
    atomicStore(&loop_next.words[CONTROL_PASSES], next.passes);
    if goes_on {
        // No other invocation asks for another iteration. It has as many workgroups, where records
        // determine the sizes of dispatches.
        atomicStore(&loop_next.x, loop_now.x);
    }
}
