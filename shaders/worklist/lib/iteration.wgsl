//! What an iteration of the worklist engine's loop does, and which phase follows.
//!
//!     INIT -> TRIM* -> PIVOT -> SEED -> SEARCH* -> UPDATE_DEGREES -> RELABEL* -+
//!              ^                 |                                            |
//!              |                 +-> the end, if no state is live             |
//!              +--------------------------------------------------------------+
//!
//! SEED is the first SEARCH of a round. If an iteration is to explore the queue, but the queue is
//! empty, it does the work of the next phase instead (`start_iteration`). Every iteration has as
//! many workgroups as any phase could use; those without work do nothing. If no state is trimmed,
//! SEED follows the first TRIM. If SEARCH has reached all live states in both directions, FINISH
//! follows, and that is the end.
//!
//! If many iterations find few states, TRIM and SEARCH are broken off, or SEED does not follow
//! PIVOT. The loop halts, `worklist/colouring.wgsl` divides the regions, and another loop goes on
//! from there. The entries that TRIM had still to explore stay in the queue. A SEARCH that is
//! broken off leaves only bits in `reached`, which the host clears.
//!
//! With choices there are rounds around these rounds. The end is reached if CLASSIFY finds that no
//! state goes on:
//!
//!     INIT -> ATTRACTOR* -> CLASSIFY -> COUNT_DEGREES -> FIND_TRIMMED* -> TRIM* -> ... -> PRUNE -+
//!                ^             |                                           ^                     |
//!                |             +---------- in the first round -------------+                     |
//!                +-------------------------------------------------------------------------------+
//!
//! flags: CHOICES
#import worklist/lib/control
#import worklist/lib/words

/// The data about an iteration that all invocations know.
struct Iteration {
    phase: u32,
    /// Whether this is the first SEARCH of a round: SEED.
    seeds: bool,
    /// The entries to be explored lie from `head` to `end`; those of this search begin at `start`.
    start: u32,
    head: u32,
    end: u32,
    logged: u32,
    /// The number of hubs that the previous iteration has deferred.
    hubs: u32,
    round: u32,
    /// Whether choices are removed, so that some edges do not count.
    is_pruned: bool,
    /// Whether all states are in the first region still, and all edges count.
    is_undivided: bool,
    live: u32,
    is_uncut: bool,
    /// Whether few entries are to be explored.
    is_narrow: bool,
    /// While colours divide regions: whether their keys are mixed, and whether states are merged.
    is_mixed: bool,
    is_merged: bool,
    /// The number of iterations of this phase in a row, if it is repeated until nothing changes.
    passes: u32,
    /// The workgroup, and the number of workgroups that have work.
    group: u32,
    groups: u32,
}

/// With fewer entries the device has time to spare.
const NARROW = 8192u;
/// With fewer entries for each region, a search may be in many small regions.
const WIDE_PER_REGION = 16u;
/// A search that follows paths step by step finds fewer entries in an iteration.
const LITTLE = 256u;
/// A round that decides a smaller part of the live states is slow.
const SLOW_PART = 8u;
/// The number of states that a workgroup examines together to select pivots.
const PIVOT_BATCH = 1024u;
/// Up to this many full shares, each share of entries gets a workgroup.
const FULL_SHARES = 256u;

/// Returns the iteration that the previous one requests, with all workgroups.
fn load_iteration(group: u32, groups: u32) -> Iteration {
    let now = load_control();
    let end = now.end + loop_now.words[CONTROL_ADDED];
    let is_pruned = (now.flags & FLAG_PRUNED) != 0u;
    return Iteration(
        scheduled_phase(),
        false,
        now.start,
        now.head,
        end,
        now.logged + select(0u, loop_now.words[CONTROL_FOLLOWED], has_searched()),
        loop_now.words[CONTROL_HUBS],
        now.round,
        is_pruned,
        now.round == 0u && !is_pruned,
        now.live,
        (now.flags & FLAG_UNCUT) != 0u,
        end - now.head < NARROW,
        now.is_mixed,
        now.is_merged,
        loop_now.words[CONTROL_PASSES],
        group,
        groups,
    );
}

/// Returns whether the iteration before was one of a search, which logs what it follows.
fn has_searched() -> bool {
    let ran = loop_now.words[CONTROL_RAN];
    return ran == PHASE_SEARCH || ran == PHASE_SEED;
}

/// Returns what this iteration does: the requested phase, or the next one if there is nothing to
/// explore.
fn start_iteration(scheduled: Iteration) -> Iteration {
    var iteration = scheduled;
    if halts(scheduled) {
        iteration.phase = PHASE_HALT;
    } else if is_idle(scheduled) || is_broken_off(scheduled) {
        iteration.phase = phase_if_idle(scheduled);
    }
    if iteration.phase == PHASE_SEED {
        iteration = start_search(iteration);
    }
    iteration.groups = min(scheduled.groups, groups_of(iteration));
    return iteration;
}

/// Returns the first SEARCH of a round, from the pivots of the regions that PIVOT has listed at the
/// beginning of the queue. Behind the regions are the entries that it begins with, two for each
/// (`seeds.wgsl`).
fn start_search(scheduled: Iteration) -> Iteration {
    var iteration = scheduled;
    let regions = select(loop_now.words[CONTROL_REGIONS], 1u, has_first_pivot());
    iteration.phase = PHASE_SEARCH;
    iteration.seeds = true;
    iteration.start = regions;
    iteration.head = regions;
    iteration.end = 3u * regions;
    iteration.is_narrow = 2u * regions < NARROW;
    iteration.logged = 0u;
    iteration.hubs = 0u;
    iteration.round += 1u;
    if has_first_pivot() {
        iteration.live = params.states;
    }
    return iteration;
}

/// The phase that follows an exploring phase with nothing to explore, or one that is broken off.
fn phase_if_idle(iteration: Iteration) -> u32 {
    switch iteration.phase {
        case PHASE_TRIM: {
            if (params.stages & STAGE_SEARCH) == 0u {
                return PHASE_END;
            }
            // If no state is trimmed, the first look at all states has found the first pivot.
            let is_known = iteration.is_undivided && iteration.end == 0u;
            return select(PHASE_PIVOT, PHASE_SEED, is_known);
        }
        case PHASE_SEARCH: {
            if iteration.end - iteration.start + iteration.logged == 2u * iteration.live {
                return PHASE_FINISH;
            }
            let has_degrees = (params.stages & STAGE_TRIM) != 0u;
            return select(PHASE_RELABEL, PHASE_UPDATE_DEGREES, has_degrees);
        }
        case PHASE_ATTRACTOR: {
            return PHASE_CLASSIFY;
        }
        default: {
            return iteration.phase;
        }
    }
}

/// Returns whether SEED follows the first TRIM, without a PIVOT that lists regions.
fn has_first_pivot() -> bool {
    return scheduled_phase() == PHASE_TRIM;
}

/// Returns whether so little was found for so long that colours are to divide the regions.
fn is_late() -> bool {
    let has_all_stages = params.stages == (STAGE_TRIM | STAGE_SEARCH);
    let is_thin = loop_now.words[CONTROL_THIN] >= params.most_thin;
    let is_slow = loop_now.words[CONTROL_SLOW_ROUNDS] >= params.most_slow_rounds;
    return has_all_stages && (is_thin || is_slow);
}

/// Returns whether the loop halts here for that. What has nothing left to explore is brought to its
/// end; and PIVOT comes first, to see whether any state is live.
fn halts(iteration: Iteration) -> bool {
    if !is_late() || iteration.hubs != 0u {
        return false;
    }
    switch iteration.phase {
        case PHASE_TRIM, PHASE_SEARCH: {
            return iteration.head != iteration.end;
        }
        case PHASE_SEED: {
            return iteration.live != 0u;
        }
        default: {
            return false;
        }
    }
}

/// Returns whether an ATTRACTOR that finds little ends here. TRIM goes on with it in the next
/// round, or with chains of it at once.
fn is_broken_off(iteration: Iteration) -> bool {
    return iteration.phase == PHASE_ATTRACTOR && iteration.hubs == 0u && is_late();
}

/// Takes note of an iteration that found little, or of a round that decided little.
fn note_pace(iteration: Iteration, next: ptr<function, Control>) {
    switch reported_phase(iteration) {
        case PHASE_TRIM, PHASE_SEARCH, PHASE_ATTRACTOR: {
            let found = loop_now.words[CONTROL_ADDED] + loop_now.words[CONTROL_FOLLOWED];
            let live = select(iteration.live, params.states, iteration.live == 0u);
            let is_little = found < max(LITTLE, live / params.most_left);
            (*next).thin = select((*next).thin / 2u, (*next).thin + 1u, is_little);
        }
        case PHASE_SEED: {
            let before = (*next).live_before;
            let is_slow = !has_first_pivot() && iteration.live > before - before / SLOW_PART;
            (*next).slow_rounds += u32(is_slow && before != 0u);
        }
        case PHASE_PRUNE: {
            (*next).thin = 0u;
            (*next).slow_rounds = 0u;
        }
        case PHASE_CLASSIFY: {
            // After an ATTRACTOR that was broken off, TRIM is to be, too.
            (*next).thin = select(0u, (*next).thin, iteration.head != iteration.end);
        }
        default: {}
    }
}

/// Returns whether the order in which entries are explored does not matter, so that a workgroup may
/// go on with what it finds.
fn is_transitive(phase: u32) -> bool {
    return phase == PHASE_TRIM || phase == PHASE_SEARCH || phase == PHASE_ATTRACTOR;
}

/// Returns whether entries are followed hop by hop in workgroup memory (`local_bfs.wgsl`).
fn is_local(iteration: Iteration) -> bool {
    return iteration.is_narrow && is_transitive(iteration.phase) && !is_widening(iteration);
}

/// Returns whether a search of a large graph finds more and more states: more wait than it has
/// explored. If workgroups followed what they find, some would soon have more than they can take,
/// and others would wait for these. So all share what each hop finds. Before the entries of a
/// search lie the names of its regions, so `start` counts these.
fn is_widening(iteration: Iteration) -> bool {
    let waiting = iteration.end - iteration.head;
    let explored = iteration.head - iteration.start + iteration.logged;
    return iteration.phase == PHASE_SEARCH
        && iteration.live >= params.wide_states
        && waiting >= max(params.wide, WIDE_PER_REGION * iteration.start)
        && waiting > explored;
}

/// Returns the number of workgroups for `items` entries, if each should have at least `share`.
fn groups_for(items: u32, share: u32) -> u32 {
    // A workgroup goes far with few entries. The more entries there are, the more it may find.
    let few = min(items, share * FULL_SHARES);
    let groups = (few + share - 1u) / share + (items - few) / (8u * share);
    return clamp(groups, 1u, params.most_groups);
}

/// Returns the number of workgroups that have work.
fn groups_of(iteration: Iteration) -> u32 {
    let waiting = iteration.end - iteration.head;
    switch iteration.phase {
        case PHASE_TRIM, PHASE_SEARCH, PHASE_ATTRACTOR: {
            // States that are trimmed after a split lie in many places, and start short paths.
            let is_scattered = iteration.phase == PHASE_TRIM && !iteration.is_undivided;
            let groups = groups_for(waiting, select(params.share, 1u, is_scattered));
            return select(groups, params.most_groups, iteration.hubs != 0u);
        }
        case PHASE_UPDATE_DEGREES: {
            return groups_for(iteration.end - iteration.start + iteration.logged, params.share);
        }
        case PHASE_RELABEL: {
            let found = iteration.head - iteration.start + iteration.logged;
            let groups = groups_for(found, params.share);
            return select(groups, params.most_groups, iteration.hubs != 0u);
        }
        case PHASE_PIVOT: {
            return min((params.states + PIVOT_BATCH - 1u) / PIVOT_BATCH, params.most_groups);
        }
        case PHASE_END, PHASE_HALT: {
            return 1u;
        }
        default: {
            return params.most_groups;
        }
    }
}

/// Returns whether there is nothing to explore.
fn is_idle(iteration: Iteration) -> bool {
    return iteration.head == iteration.end && iteration.hubs == 0u;
}

/// Returns control for an iteration that explores what this one has added to the queue.
fn continue_queue(iteration: Iteration) -> Control {
    return control_of(iteration, iteration.end, iteration.end, iteration.logged);
}

/// Returns control for an iteration that starts with an empty queue.
fn empty_queue(iteration: Iteration) -> Control {
    var next = control_of(iteration, 0u, 0u, 0u);
    next.start = 0u;
    return next;
}

fn control_of(iteration: Iteration, head: u32, end: u32, logged: u32) -> Control {
    var next = load_control();
    next.start = iteration.start;
    next.head = head;
    next.end = end;
    next.logged = logged;
    next.round = iteration.round;
    next.live = iteration.live;
    return next;
}

/// Returns whether CLASSIFY makes a region of the whole graph, because no state is dead.
fn reopens_all(iteration: Iteration) -> bool {
    return iteration.is_undivided && iteration.end == 0u;
}

/// Decides which phase is next. One invocation calls it.
fn next_phase(iteration: Iteration) {
    var phase = iteration.phase;
    var next = continue_queue(iteration);
    var goes_on = true;
    let trim_or_pivot = select(PHASE_PIVOT, PHASE_TRIM, (params.stages & STAGE_TRIM) != 0u);
    switch iteration.phase {
        case PHASE_INIT: {
#ifdef CHOICES
            phase = PHASE_ATTRACTOR;
#else
            phase = trim_or_pivot;
#endif
        }
        case PHASE_TRIM: {
            next.flags &= ~FLAG_UNCUT;
        }
        case PHASE_PIVOT: {
            phase = PHASE_SEED;
            next = empty_queue(iteration);
            next.live_before = iteration.live;
            // The workgroups count anew.
            next.live = 0u;
        }
        case PHASE_SEARCH: {
            // Only SEED, the first one of a round, may find that no state is live.
            goes_on = iteration.live != 0u;
#ifdef CHOICES
            phase = select(PHASE_PRUNE, PHASE_SEARCH, goes_on);
            goes_on = true;
#endif
        }
        case PHASE_UPDATE_DEGREES: {
            phase = PHASE_RELABEL;
            next.head = iteration.head;
            next.flags &= ~FLAG_UNCUT;
        }
        case PHASE_RELABEL: {
            next.head = iteration.head;
            next.flags &= ~FLAG_UNCUT;
            if iteration.hubs == 0u {
                phase = trim_or_pivot;
            }
        }
        case PHASE_FINISH: {
            goes_on = false;
#ifdef CHOICES
            phase = PHASE_PRUNE;
            next = empty_queue(iteration);
            goes_on = !iteration.is_uncut;
#endif
        }
        case PHASE_END: {
            goes_on = false;
        }
        case PHASE_HALT: {
            phase = PHASE_MERGE;
            goes_on = false;
            if scheduled_phase() == PHASE_TRIM {
                phase = PHASE_LINK;
                next = control_of(iteration, iteration.head, iteration.end, 0u);
            } else {
                next = empty_queue(iteration);
            }
            next.coloured_since = iteration.round;
            next.links = 0u;
            next.is_mixed = params.mixes_keys == 1u;
            next.is_merged = false;
        }
#ifdef CHOICES
        case PHASE_PRUNE: {
            phase = PHASE_ATTRACTOR;
        }
        case PHASE_CLASSIFY: {
            phase = PHASE_TRIM;
            if !reopens_all(iteration) {
                phase = PHASE_COUNT_DEGREES;
                next = empty_queue(iteration);
                next.flags |= FLAG_PRUNED;
            }
            next.flags |= FLAG_UNCUT;
            // The workgroups count anew.
            next.live = 0u;
        }
        case PHASE_COUNT_DEGREES: {
            let is_stuck = iteration.live != 0u && !has_flag(FLAG_PROGRESS);
            phase = select(PHASE_FIND_TRIMMED, PHASE_STUCK, is_stuck);
            goes_on = iteration.live != 0u && !is_stuck;
        }
        case PHASE_FIND_TRIMMED: {
            phase = select(PHASE_TRIM, PHASE_FIND_TRIMMED, iteration.hubs != 0u);
        }
#endif
        default: {}
    }
    note_pace(iteration, &next);
    commit(phase, reported_phase(iteration), iteration.groups, next, goes_on);
}

/// Returns the phase as profiles name it: they tell SEED from SEARCH.
fn reported_phase(iteration: Iteration) -> u32 {
    return select(iteration.phase, PHASE_SEED, iteration.seeds);
}
