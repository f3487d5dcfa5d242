//! Which part of the decomposition an iteration of the fast engine's loop does, and which one comes next.
//!
//! The loop is a machine whose state lies on the device. Its record (`shared/loop.wgsl`) holds what an iteration's
//! workgroups count together for the next: words[0] entries added to the queue; words[1] entries logged, or live
//! states; words[2] heavy entries, or regions; words[3] the part. What one invocation can know alone is in `control`, of which
//! an iteration reads one half and writes the other.
//!
//!     INIT -> PEEL* -> PIVOT -> SEED -> SEARCH* -> RECOUNT -> RELABEL* -+
//!              ^                 |                                      |
//!              |                 +-> the end, if no state is live       |
//!              +--------------------------------------------------------+
//!
//! If no state falls, SEED follows on the first PEEL. If SEARCH has reached all live states on both sides, FINISH follows, and that is the end.
//!
//! With choices there are rounds of that, and the end is reached if REOPEN leaves no state to go on:
//!
//!     INIT -> STARVE* -> REOPEN -> COUNT -> FALL* -> PEEL* -> ... SEED -> LEAVE -+
//!                ^          |                          ^                         |
//!                |          +-- the first time --------+                         |
//!                +---------------------------------------------------------------+
//!
//! flags: CHOICES
#import fast/words
#import loop

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

/// In `FastParams.stages`.
const STAGE_PEEL = 1u;
const STAGE_SEARCH = 2u;

/// In `pivots`: the best candidate of all states, until it is known whether any falls. No region has this name
/// before the first search has ended.
const FIRST = 1u;

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
    /// How often a workgroup goes on with what it found itself.
    hops: u32,
    /// How much it may have found to go on with it alone.
    narrow: u32,
    /// How much all may have handed over before everyone does.
    handover: u32,
    /// A state with more edges is left to all workgroups together.
    heavy_degree: u32,
    /// 1: prefer pivots of large degrees.
    by_degree: u32,
    /// What is said of all states, beside the pivot, if the graph turns out to be one component (`fast/whole.wgsl`).
    whole_mark: u32,
    padding_0: u32,
    padding_1: u32,
    padding_2: u32,
}

struct Control {
    /// The queue's entries from `head` to `end`, and those added since, are to be explored.
    head: u32,
    end: u32,
    /// Entries logged at the far end of the queue.
    logged: u32,
    /// How many times pivots were chosen.
    round: u32,
    /// 1: choices have been removed.
    thinned: u32,
    /// How many states were live when pivots were last chosen.
    live: u32,
    /// 1: since components became regions no edge was cut.
    pristine: u32,
    padding: u32,
}

/// What all invocations of an iteration know.
struct Turn {
    part: u32,
    /// The entries to be explored.
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
    /// Whether few entries are to be explored.
    is_narrow: bool,
    /// The workgroup, and how many there are.
    group: u32,
    groups: u32,
}

@group(0) @binding(10) var<storage, read_write> control: array<Control, 2>;
@group(0) @binding(11) var<uniform> params: FastParams;

/// Entries, few enough for the device to have time to spare.
const NARROW = 8192u;

var<workgroup> control_now: Control;

/// What this iteration is to do. Every invocation asks.
fn turn_of(group: u32, groups: u32, local: u32) -> Turn {
    if local == 0u {
        control_now = control[loop_now.iteration & 1u];
    }
    let now = workgroupUniformLoad(&control_now);
    let end = now.end + loop_now.words[0];
    return Turn(
        loop_now.words[3],
        now.head,
        end,
        now.logged + select(0u, loop_now.words[1], loop_now.words[3] == SEARCH),
        loop_now.words[2],
        now.round,
        now.thinned == 1u,
        now.round == 0u && now.thinned == 0u,
        now.live,
        now.pristine == 1u,
        end - now.head < NARROW,
        group,
        groups,
    );
}

/// Whether the queue's entries are followed hop by hop (`dive.wgsl`).
fn dives(turn: Turn) -> bool {
    return turn.is_narrow && (turn.part == PEEL || turn.part == SEARCH || turn.part == STARVE);
}

/// Workgroups for `items` entries of the queue.
fn groups_for(items: u32) -> u32 {
    // Few go far by themselves. The more there are, the more each workgroup may find to go on with.
    let few = min(items, params.share * 256u);
    let groups = (few + params.share - 1u) / params.share + (items - few) / (8u * params.share);
    return clamp(groups, 1u, params.most_groups);
}

/// Workgroups for a scan of all states.
fn groups_for_scan() -> u32 {
    return clamp((params.states + 255u) / 256u, 1u, params.most_groups);
}

/// Whether an exploring part finds nothing to explore: then it was only entered to be left.
fn is_idle(turn: Turn) -> bool {
    return turn.head == turn.end && turn.heavy == 0u;
}

/// What an iteration leaves to the next unless it says otherwise: what it added to the queue.
fn go_on(turn: Turn) -> Control {
    return control_of(turn, turn.end, turn.end, turn.logged);
}

/// An empty queue.
fn start_over(turn: Turn) -> Control {
    return control_of(turn, 0u, 0u, 0u);
}

fn control_of(turn: Turn, head: u32, end: u32, logged: u32) -> Control {
    return Control(head, end, logged, turn.round, u32(turn.is_thinned), turn.live, u32(turn.is_pristine), 0u);
}

/// Whether REOPEN makes a region of the whole graph, as no state has died.
fn reopens_all(turn: Turn) -> bool {
    return turn.is_whole && turn.end == 0u;
}

/// PEEL: whether no state has fallen, so that the first look at all of them has found the first pivot.
fn knows_first(turn: Turn) -> bool {
    return turn.is_whole && turn.end == 0u && (params.stages & STAGE_SEARCH) != 0u;
}

/// SEED: whether that was so, and nobody has listed regions.
fn knew_first(turn: Turn) -> bool {
    return turn.heavy == 0u && loop_now.words[1] != 0u;
}

/// Decides what comes next. One invocation does.
fn lead(turn: Turn) {
    var part = turn.part;
    var next = go_on(turn);
    var groups = 1u;
    switch turn.part {
        case INIT: {
#ifdef CHOICES
            part = STARVE;
#else
            part = select(PIVOT, PEEL, (params.stages & STAGE_PEEL) != 0u);
            groups = select(groups_for_scan(), 1u, part == PEEL);
#endif
        }
        case PEEL: {
            if is_idle(turn) && knows_first(turn) {
                part = SEED;
                next = start_over(turn);
                next.round = 1u;
                atomicStore(&loop_next.words[1], params.states);
            } else if is_idle(turn) {
                part = PIVOT;
                groups = select(0u, groups_for_scan(), (params.stages & STAGE_SEARCH) != 0u);
                if turn.is_whole {
                    atomicStore(&pivots[FIRST], 0u);
                }
            } else {
                next.pristine = 0u;
            }
        }
        case PIVOT: {
            part = SEED;
            next = start_over(turn);
            next.round += 1u;
        }
        case SEED: {
            part = SEARCH;
            if loop_now.words[1] == 0u {
#ifdef CHOICES
                part = LEAVE;
                groups = groups_for_scan();
#else
                groups = 0u;
#endif
            }
            next = start_over(turn);
            next.live = loop_now.words[1];
        }
        case SEARCH: {
            if is_idle(turn) && turn.end + turn.logged == 2u * turn.live {
                part = FINISH;
                groups = groups_for_scan();
            } else if is_idle(turn) {
                next.pristine = 0u;
                part = select(RELABEL, RECOUNT, (params.stages & STAGE_PEEL) != 0u);
                groups = groups_for(turn.head + turn.logged);
            }
        }
        case RECOUNT: {
            part = RELABEL;
            groups = groups_for(turn.head + turn.logged);
            next.head = turn.head;
        }
        case FINISH: {
            groups = 0u;
#ifdef CHOICES
            if !turn.is_pristine {
                part = LEAVE;
                groups = groups_for_scan();
            }
#endif
        }
#ifdef CHOICES
        case LEAVE: {
            part = STARVE;
        }
        case STARVE: {
            if is_idle(turn) {
                part = REOPEN;
                groups = groups_for_scan();
            }
        }
        case REOPEN: {
            next.pristine = 1u;
            if reopens_all(turn) {
                part = PEEL;
            } else {
                part = COUNT;
                groups = groups_for_scan();
                next = start_over(turn);
                next.thinned = 1u;
                next.pristine = 1u;
            }
        }
        case COUNT: {
            part = FALL;
            groups = select(groups_for_scan(), 0u, loop_now.words[1] == 0u);
        }
        case FALL: {
            part = select(PEEL, FALL, turn.heavy != 0u);
            groups = select(1u, groups_for_scan(), turn.heavy != 0u);
        }
#endif
        default: {
            next.head = turn.head;
            if turn.heavy != 0u {
                groups = groups_for(turn.head + turn.logged);
            } else if turn.head != turn.end {
                part = PEEL;
                groups = groups_for(turn.end - turn.head);
            } else {
                part = PIVOT;
                groups = groups_for_scan();
            }
        }
    }
    control[(loop_now.iteration + 1u) & 1u] = next;
    atomicStore(&loop_next.words[3], part);
    if groups != 0u {
        loop_again(groups);
    }
}
