//! Which part of the decomposition an iteration of the fast engine's loop does, and which one comes next.
//!
//! The loop is a machine whose state is its record (`lib/loop.wgsl`). An iteration's workgroups count in it together for
//! the next: words[0] entries added to the queue; words[1] entries logged, or live states; words[2] heavy entries, or in PIVOT
//! regions. words[3] has the part that is next, and what the iteration before was (`conclude`); what follows is `Control`, which
//! one invocation writes.
//!
//!     INIT -> PEEL* -> PIVOT -> SEED -> SEARCH* -> RECOUNT -> RELABEL* -+
//!              ^                 |                                      |
//!              |                 +-> the end, if no state is live       |
//!              +--------------------------------------------------------+
//!
//! An iteration that is to explore, but finds that nothing is left to explore, does what comes next (`settled`): each has as
//! many workgroups as any part could want, and those that its part has no use for do nothing. If no state falls, SEED
//! follows on the first PEEL. If SEARCH has reached all live states on both sides, FINISH follows, and that is the end.
//!
//! After many rounds PEEL does not lead on to PIVOT: the loop ends, regions are divided by signatures (`worklist/colouring.wgsl`), and a loop begins
//! that goes on where that one was.
//!
//! With choices there are rounds of that, and the end is reached if REOPEN leaves no state to go on:
//!
//!     INIT -> STARVE* -> REOPEN -> COUNT -> FALL* -> PEEL* -> ... SEED -> LEAVE -+
//!                ^          |                          ^                         |
//!                |          +-- the first time --------+                         |
//!                +---------------------------------------------------------------+
//!
//! flags: CHOICES
#import worklist/lib/words
#import lib/loop

const INIT = 0u;
const PEEL = 1u;
const PIVOT = 2u;
const SEED = 3u;
const SEARCH = 4u;
const RECOUNT = 5u;
const RELABEL = 6u;
const STARVE = 7u;
const REOPEN = 8u;
const COUNT = 9u;
const FALL = 10u;
const LEAVE = 11u;
const FINISH = 12u;
/// Nothing is left to do.
const END = 13u;
/// It has taken many rounds: regions are to be divided by `worklist/colouring.wgsl`.
const HALT = 14u;
/// Components became regions again though none of their choices was removed: the device computes wrongly. Behind the
/// parts of `worklist/colouring.wgsl`.
const STUCK = 20u;

/// Beside the number of states that REOPEN counts: this round has removed a choice, or is the first.
const PROGRESS = 0x80000000u;

/// In `FastParams.stages`.
const STAGE_PEEL = 1u;
const STAGE_SEARCH = 2u;

/// The states whose rows are bound, in one direction.
struct FastRows {
    first_state: u32,
    end_state: u32,
    /// The position of the first edge that is bound.
    first_edge: u32,
    padding: u32,
}

struct FastParams {
    /// Forward and backward.
    rows: array<FastRows, 2>,
    states: u32,
    /// The length of `queue`.
    capacity: u32,
    /// The length of a half of `heavy`, in entries.
    heavy_capacity: u32,
    /// Which parts to do.
    stages: u32,
    /// 1 in the first dispatch of an iteration: does what has nothing to do with edges.
    leads: u32,
    /// The fewest entries that are worth a workgroup.
    share: u32,
    /// The most workgroups.
    most_groups: u32,
    /// How often a workgroup goes on with what it found itself, where the order does not matter.
    hops: u32,
    /// How much it may have found to go on with it alone.
    narrow: u32,
    /// How much all may have handed over before everyone does.
    handover: u32,
    /// A state with more edges is left to all workgroups together.
    heavy_degree: u32,
    /// 1: prefer pivots of large degrees.
    by_degree: u32,
    /// How many bits number all states: 1 to 28.
    number_bits: u32,
    /// What is said of all states, beside the pivot, if the graph turns out to be one component (`worklist/one_component.wgsl`).
    whole_mark: u32,
    /// How often a workgroup goes on in a search of few entries: what is reached by a long way makes other ways longer.
    search_hops: u32,
    /// After how many rounds to halt.
    most_rounds: u32,
    /// How often signatures are spread at most.
    spreads: u32,
}

/// What an iteration says to the next, beside what all workgroups count.
struct Control {
    /// Where the queue's entries begin: before them are the names of regions.
    start: u32,
    /// The queue's entries from `head` to `end`, and those added since, are to be explored.
    head: u32,
    end: u32,
    /// Entries logged at the far end of the queue.
    logged: u32,
    /// How many times pivots were chosen.
    round: u32,
    /// How many states were live when pivots were last chosen.
    live: u32,
    /// The round after which components became regions, or regions were divided by signatures.
    opened: u32,
    /// THINNED, PRISTINE.
    flags: u32,
}

/// Choices have been removed.
const THINNED = 1u;
/// Since components became regions no edge was cut.
const PRISTINE = 2u;

/// What all invocations of an iteration know.
struct Turn {
    part: u32,
    /// Whether this is the first SEARCH of a round: SEED.
    seeds: bool,
    /// The entries to be explored; `start` says where the first ones lie that were.
    start: u32,
    head: u32,
    end: u32,
    logged: u32,
    heavy: u32,
    round: u32,
    /// Whether some edges do not count, as their choices are removed.
    is_thinned: bool,
    /// Whether there is one region yet, of all states and edges.
    is_whole: bool,
    live: u32,
    is_pristine: bool,
    /// Whether it has taken so many rounds that regions are to be divided.
    is_late: bool,
    /// Whether few entries are to be explored.
    is_narrow: bool,
    /// The workgroup, and how many have something to do.
    group: u32,
    groups: u32,
}

@group(0) @binding(11) var<uniform> params: FastParams;

/// Entries, few enough for the device to have time to spare.
const NARROW = 8192u;
/// States that a workgroup looks at at a time to choose pivots.
const PIVOT_EACH = 1024u;

/// The part that this iteration was asked to do.
fn asked_part() -> u32 {
    return loop_now.words[3] & 0xffu;
}

/// What the iteration before said.
fn control_now() -> Control {
    return Control(
        loop_now.words[4],
        loop_now.words[5],
        loop_now.words[6],
        loop_now.words[7],
        loop_now.words[8],
        loop_now.words[9],
        loop_now.words[10],
        loop_now.words[11],
    );
}

/// Says it to the next. One invocation does.
fn say(next: Control) {
    atomicStore(&loop_next.words[4], next.start);
    atomicStore(&loop_next.words[5], next.head);
    atomicStore(&loop_next.words[6], next.end);
    atomicStore(&loop_next.words[7], next.logged);
    atomicStore(&loop_next.words[8], next.round);
    atomicStore(&loop_next.words[9], next.live);
    atomicStore(&loop_next.words[10], next.opened);
    atomicStore(&loop_next.words[11], next.flags);
}

/// Whether the loop has ended, and this iteration is in vain. Asked behind `turn_of`, whose words lie beside: memory answers once.
fn is_over() -> bool {
    return loop_now.x == 0u;
}

/// What this iteration was asked to do, with all workgroups.
fn turn_of(group: u32, groups: u32) -> Turn {
    let now = control_now();
    let end = now.end + loop_now.words[0];
    let is_thinned = (now.flags & THINNED) != 0u;
    return Turn(
        asked_part(),
        false,
        now.start,
        now.head,
        end,
        now.logged + select(0u, loop_now.words[1], asked_part() == SEARCH),
        loop_now.words[2],
        now.round,
        is_thinned,
        now.round == 0u && !is_thinned,
        now.live,
        (now.flags & PRISTINE) != 0u,
        now.round - now.opened >= params.most_rounds,
        end - now.head < NARROW,
        group,
        groups,
    );
}

/// What this iteration does. If there is nothing to explore, the part that would is over.
fn settled(asked: Turn) -> Turn {
    var turn = asked;
    if is_idle(asked) {
        turn.part = part_after(asked);
    }
    if turn.part == SEED {
        turn = seeding(turn);
    }
    turn.groups = min(asked.groups, groups_of(turn));
    return turn;
}

/// The first SEARCH of a round, from the pivots of the regions that PIVOT has listed at the queue's beginning. Behind these are the
/// entries that it begins with, two for each (`seeds.wgsl`).
fn seeding(asked: Turn) -> Turn {
    var turn = asked;
    let regions = select(asked.heavy, 1u, knew_first());
    turn.part = SEARCH;
    turn.seeds = true;
    turn.start = regions;
    turn.head = regions;
    turn.end = 3u * regions;
    turn.is_narrow = 2u * regions < NARROW;
    turn.heavy = 0u;
    turn.round += 1u;
    turn.live = select(loop_now.words[1], params.states, knew_first());
    return turn;
}

/// What follows on an exploring part that has nothing to explore.
fn part_after(turn: Turn) -> u32 {
    switch turn.part {
        case PEEL: {
            if (params.stages & STAGE_SEARCH) == 0u {
                return END;
            }
            if turn.is_late {
                return HALT;
            }
            // If no state has fallen, the first look at all of them has found the first pivot.
            return select(PIVOT, SEED, turn.is_whole && turn.end == 0u);
        }
        case SEARCH: {
            if turn.end - turn.start + turn.logged == 2u * turn.live {
                return FINISH;
            }
            return select(RELABEL, RECOUNT, (params.stages & STAGE_PEEL) != 0u);
        }
        case STARVE: {
            return REOPEN;
        }
        default: {
            return turn.part;
        }
    }
}

/// SEED: whether the first pivot is known, and nobody has listed regions.
fn knew_first() -> bool {
    return asked_part() == PEEL;
}

/// Whether the queue's entries are followed hop by hop (`local_bfs.wgsl`).
fn dives(turn: Turn) -> bool {
    return turn.is_narrow && (turn.part == PEEL || turn.part == SEARCH || turn.part == STARVE);
}

/// Workgroups for `items` entries of the queue.
fn groups_for(items: u32) -> u32 {
    return groups_by(items, params.share);
}

/// The same, if fewer than `share` are not worth a workgroup.
fn groups_by(items: u32, share: u32) -> u32 {
    // Few go far by themselves. The more there are, the more each workgroup may find to go on with.
    let few = min(items, share * 256u);
    let groups = (few + share - 1u) / share + (items - few) / (8u * share);
    return clamp(groups, 1u, params.most_groups);
}

/// How many workgroups have something to do.
fn groups_of(turn: Turn) -> u32 {
    switch turn.part {
        case PEEL, SEARCH, STARVE: {
            // What falls after a split falls in many places, and not far.
            let share = select(params.share, 1u, turn.part == PEEL && !turn.is_whole);
            return select(groups_by(turn.end - turn.head, share), params.most_groups, turn.heavy != 0u);
        }
        case RECOUNT: {
            return groups_for(turn.end - turn.start + turn.logged);
        }
        case RELABEL: {
            return select(groups_for(turn.head - turn.start + turn.logged), params.most_groups, turn.heavy != 0u);
        }
        case PIVOT: {
            return min((params.states + PIVOT_EACH - 1u) / PIVOT_EACH, params.most_groups);
        }
        case END, HALT: {
            return 1u;
        }
        default: {
            return params.most_groups;
        }
    }
}

/// Whether there is nothing to explore.
fn is_idle(turn: Turn) -> bool {
    return turn.head == turn.end && turn.heavy == 0u;
}

/// What an iteration leaves to the next unless it says otherwise: what it added to the queue.
fn go_on(turn: Turn) -> Control {
    return control_of(turn, turn.end, turn.end, turn.logged);
}

/// An empty queue.
fn start_over(turn: Turn) -> Control {
    var empty = control_of(turn, 0u, 0u, 0u);
    empty.start = 0u;
    return empty;
}

fn control_of(turn: Turn, head: u32, end: u32, logged: u32) -> Control {
    var next = control_now();
    next.start = turn.start;
    next.head = head;
    next.end = end;
    next.logged = logged;
    next.round = turn.round;
    next.live = turn.live;
    return next;
}

/// Whether REOPEN makes a region of the whole graph, as no state has died.
fn reopens_all(turn: Turn) -> bool {
    return turn.is_whole && turn.end == 0u;
}

/// Decides what comes next. One invocation does.
fn lead(turn: Turn) {
    var part = turn.part;
    var next = go_on(turn);
    var goes_on = true;
    switch turn.part {
        case INIT: {
#ifdef CHOICES
            part = STARVE;
#else
            part = select(PIVOT, PEEL, (params.stages & STAGE_PEEL) != 0u);
#endif
        }
        case PEEL: {
            next.flags &= ~PRISTINE;
        }
        case PIVOT: {
            part = SEED;
            next = start_over(turn);
        }
        case SEARCH: {
            // Only SEED, the first one of a round, may find no state live.
            goes_on = turn.live != 0u;
#ifdef CHOICES
            part = select(LEAVE, SEARCH, goes_on);
            goes_on = true;
#endif
        }
        case RECOUNT: {
            part = RELABEL;
            next.head = turn.head;
            next.flags &= ~PRISTINE;
        }
        case RELABEL: {
            next.head = turn.head;
            next.flags &= ~PRISTINE;
            if turn.heavy == 0u {
                part = select(PIVOT, PEEL, (params.stages & STAGE_PEEL) != 0u);
            }
        }
        case FINISH: {
            goes_on = false;
#ifdef CHOICES
            part = LEAVE;
            next = start_over(turn);
            goes_on = !turn.is_pristine;
#endif
        }
        case END: {
            goes_on = false;
        }
        case HALT: {
            part = PIVOT;
            goes_on = false;
        }
#ifdef CHOICES
        case LEAVE: {
            part = STARVE;
        }
        case REOPEN: {
            part = PEEL;
            if !reopens_all(turn) {
                part = COUNT;
                next = start_over(turn);
                next.flags |= THINNED;
            }
            next.flags |= PRISTINE;
            next.opened = turn.round;
        }
        case COUNT: {
            let states = loop_now.words[1] & ~PROGRESS;
            let is_stuck = states != 0u && (loop_now.words[1] & PROGRESS) == 0u;
            part = select(FALL, STUCK, is_stuck);
            goes_on = states != 0u && !is_stuck;
            next.live = states;
        }
        case FALL: {
            part = select(PEEL, FALL, turn.heavy != 0u);
        }
#endif
        default: {}
    }
    conclude(turn, part, next, goes_on);
}

/// Hands over to the next iteration: the part that it is asked to do, beside what this one was and how many workgroups did it.
fn conclude(turn: Turn, part: u32, next: Control, goes_on: bool) {
    say(next);
    atomicStore(&loop_next.words[3], part | part_told(turn) << 8u | turn.groups << 16u);
    if goes_on {
        // Nobody else asks. As many workgroups, where records size dispatches.
        atomicStore(&loop_next.x, loop_now.x);
    }
}

/// What profiles call this part.
fn part_told(turn: Turn) -> u32 {
    return select(turn.part, SEED, turn.seeds);
}
