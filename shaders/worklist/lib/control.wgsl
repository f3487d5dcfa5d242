//! The control record of the worklist engine's loop: what an iteration stores for the next one.
//!
//! Each word of the loop's record (`lib/loop.wgsl`) has one meaning, but for some, whose meaning
//! depends on the phase. Workgroups add to the counters together. One invocation stores the others
//! with `commit`, at the end of the iteration.
//!
//! The control word is packed:
//!
//!     | 16 bits: workgroups that worked | 6 flags | 5 bits: phase that ran | 5 bits: next phase |
//!
//! Phase numbers therefore stay below 32, and workgroups below 2^16.
#import lib/loop
#import worklist/lib/params
#import worklist/lib/phases

/// Counter: entries that were added to the queue.
const CONTROL_ADDED = 0u;
/// Counter: entries that were explored without being in the queue. In searches they are logged at
/// its far end.
const CONTROL_NEWLY_LOGGED = 1u;
/// Counter: hubs that were deferred.
const CONTROL_HUBS = 2u;
/// Next phase, phase that ran, flags, workgroups.
const CONTROL_WORD = 3u;
/// Where the queue's entries begin; the names of regions lie before them. While colours divide
/// regions: whether states are merged.
const CONTROL_START = 4u;
/// The entries from `head` to `end`, and those added since, are to be explored.
const CONTROL_HEAD = 5u;
const CONTROL_END = 6u;
/// Entries that earlier iterations have logged. Before SEED: how many states were live a round ago,
/// or 0. While colours divide regions: 1 if their keys are mixed.
const CONTROL_LOGGED = 7u;
const CONTROL_MIXED = 7u;
/// How many times pivots were selected.
const CONTROL_ROUND = 8u;
/// How many states were live when they were last counted. Phases that count states add to it.
const CONTROL_LIVE = 9u;
/// In the low half: how many iterations have found little of late. In the high half: how many
/// rounds have decided little. While colours divide regions: the round in which they began.
const CONTROL_THIN = 10u;
const CONTROL_DIVIDED = 10u;
/// Counter, after PIVOT and RENAME: regions that have a candidate, or a root that is live.
const CONTROL_REGIONS = 11u;
/// Before FLATTEN and PROPAGATE: how many iterations of the phase have just run.
const CONTROL_PASSES = 11u;

/// In the control word: where the phase that ran begins, and where the number of workgroups does.
const RAN_SHIFT = 5u;
const GROUPS_SHIFT = 16u;
/// In the control word: a phase, and the flags.
const ONE_PHASE = 0x1fu;
const FLAGS_MASK = 0xfc00u;
/// Choices have been removed.
const FLAG_PRUNED = 0x400u;
/// No edge was cut since components became regions.
const FLAG_UNCUT = 0x800u;
/// Set by workgroups: a state lacks edges in a direction, so the graph is not one component.
const FLAG_LACKS_EDGES = 0x1000u;
/// Set by workgroups: a colour has changed, or states were merged.
const FLAG_COLOUR_CHANGED = 0x2000u;
/// Set by workgroups: the round of a MEC search has removed a choice, or is the first one.
const FLAG_PROGRESS = 0x4000u;

/// The words that one invocation stores.
struct Control {
    start: u32,
    head: u32,
    end: u32,
    logged: u32,
    round: u32,
    live: u32,
    /// CONTROL_THIN, or CONTROL_DIVIDED.
    thin: u32,
    /// 0 if workgroups count regions.
    passes: u32,
    /// FLAG_PRUNED, FLAG_UNCUT.
    flags: u32,
}

/// What the iteration before has stored, but for the number of passes.
fn load_control() -> Control {
    return Control(
        loop_now.words[CONTROL_START],
        loop_now.words[CONTROL_HEAD],
        loop_now.words[CONTROL_END],
        loop_now.words[CONTROL_LOGGED],
        loop_now.words[CONTROL_ROUND],
        loop_now.words[CONTROL_LIVE],
        loop_now.words[CONTROL_THIN],
        0u,
        loop_now.words[CONTROL_WORD] & (FLAG_PRUNED | FLAG_UNCUT),
    );
}

/// The phase that the iteration before asks for.
fn scheduled_phase() -> u32 {
    return loop_now.words[CONTROL_WORD] & ONE_PHASE;
}

/// Whether a workgroup of the iteration before has set a flag.
fn has_flag(flag: u32) -> bool {
    return (loop_now.words[CONTROL_WORD] & flag) != 0u;
}

/// Sets a flag for the next iteration.
fn set_flag(flag: u32) {
    // RESULT UNUSED: the flag is only set, by whichever workgroups find a reason.
    atomicOr(&loop_next.words[CONTROL_WORD], flag);
}

/// Whether the loop has ended, so that this iteration has nothing to do. Asked after the other
/// words of the record were read: they lie beside each other, and take one access to memory.
fn is_over() -> bool {
    return loop_now.x == 0u;
}

/// Stores control for the next iteration: the phase to run, the phase that ran, and how many
/// workgroups worked. One invocation calls it.
fn commit(phase: u32, ran: u32, groups: u32, next: Control, goes_on: bool) {
    let word = phase | ran << RAN_SHIFT | next.flags | groups << GROUPS_SHIFT;
    // RESULT UNUSED: only this invocation sets these bits; others set flags of their own.
    atomicOr(&loop_next.words[CONTROL_WORD], word);
    atomicStore(&loop_next.words[CONTROL_START], next.start);
    atomicStore(&loop_next.words[CONTROL_HEAD], next.head);
    atomicStore(&loop_next.words[CONTROL_END], next.end);
    atomicStore(&loop_next.words[CONTROL_LOGGED], next.logged);
    atomicStore(&loop_next.words[CONTROL_ROUND], next.round);
    atomicAdd(&loop_next.words[CONTROL_LIVE], next.live);
    atomicStore(&loop_next.words[CONTROL_THIN], next.thin);
    // RESULT UNUSED: only one of the two meanings of the word has a number here.
    atomicAdd(&loop_next.words[CONTROL_PASSES], next.passes);
    if goes_on {
        // No other invocation asks for another iteration. It has as many workgroups, where records
        // determine the sizes of dispatches.
        atomicStore(&loop_next.x, loop_now.x);
    }
}
