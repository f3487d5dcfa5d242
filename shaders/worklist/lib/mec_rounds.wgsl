//! Between the rounds of a search for maximal end components: decides which components are end
//! components, and which go on without the choices that they have lost.
//!
//! flags: CHOICES
#import worklist/lib/candidates
#import worklist/lib/choices
#import worklist/lib/degrees
#import worklist/lib/queue
#import worklist/lib/visit
#ifdef CHOICES

var<workgroup> continuing_states: atomic<u32>;
var<workgroup> has_removed: atomic<u32>;

/// In place of an entry: no dispatch has the edges of this state.
const NO_ENTRY = STATE;

/// INIT: all states are one component, which has lost something. States without a choice are dead.
fn init_choices(iteration: Iteration, local: u32) {
    let stride = iteration.groups * SIZE;
    for (var base = iteration.group * SIZE; base < params.states; base += stride) {
        let i = base + local;
        if i < params.states {
            atomicStore(&regions[i], DONE);
            if atomicLoad(&retained[i]) == 0u {
                enqueue(iteration, i | BACKWARD);
            }
        }
        if i == 0u {
            mark_reduced(0u);
        }
        spill(iteration, SPILL_ABOVE, local);
    }
}

/// PRUNE: the edges of a state if it was touched. Its component is then one that has lost a choice.
fn load_touched(state: u32) -> QueueEntry {
    let word = atomicLoad(&regions[state]);
    if !is_undecided(word) || (atomicLoad(&retained[state]) & TOUCHED) == 0u {
        return QueueEntry(NO_ENTRY, 0u, vec2(0u));
    }
    mark_reduced(word & NAME);
    return QueueEntry(state, word & NAME, row(0u, state));
}

/// CLASSIFY: dead states are in no end component; a component that has lost nothing is an end
/// component; the others become regions. Counts the states of these, and their edges if all states
/// go on. If ATTRACTOR was broken off, dead states go on, too: TRIM finds what they take along.
fn classify(iteration: Iteration, local: u32) {
    let stride = iteration.groups * SIZE;
    let is_all = reopens_all(iteration);
    let keeps_dead = iteration.head != iteration.end;
    var is_progress = iteration.is_undivided;
    if !is_all {
        for (var i = iteration.group * SIZE + local; i < arrayLength(&removed); i += stride) {
            let word = atomicLoad(&removed[i]);
            is_progress |= removed_snapshot[i] != word;
            removed_snapshot[i] = word;
        }
    }
    if is_progress {
        atomicStore(&has_removed, 1u);
    }
    var count = 0u;
    var best = 0u;
    // Neighbouring states are mostly in the same component.
    var known = ComponentStatus(NAME, false);
    for (var base = iteration.group * SIZE; base < params.states; base += stride) {
        let i = base + local;
        if i < params.states && classify_state(i, is_all, keeps_dead, &known) {
            count += 1u;
            if is_all {
                best = max(best, key(i, init_degrees(iteration, i)));
            }
        }
        spill(iteration, SPILL_ABOVE, local);
    }
    if is_all {
        offer_first(best, local);
    }
    if count != 0u {
        atomicAdd(&continuing_states, count);
    }
    let all = workgroupUniformLoad(&continuing_states);
    if local == 0u && all != 0u {
        atomicAdd(&loop_next.words[CONTROL_LIVE], all);
    }
    if local == 0u && atomicLoad(&has_removed) != 0u {
        set_flag(FLAG_PROGRESS);
    }
}

/// Whether a component has lost a choice.
struct ComponentStatus {
    component: u32,
    is_reduced: bool,
}

/// Returns whether state `i` goes on. Keeps the status of its component in `known`. If all states
/// go on, the caller counts their edges.
fn classify_state(
    i: u32,
    is_all: bool,
    keeps_dead: bool,
    known: ptr<function, ComponentStatus>,
) -> bool {
    let word = atomicLoad(&regions[i]);
    if !is_undecided(word) {
        return false;
    }
    let has = atomicLoad(&retained[i]);
    let region = region_name(word & NAME, 0u);
    if lacks_choices(has) && !keeps_dead {
        atomicStore(&regions[i], DEAD);
        return false;
    }
    if (*known).component != (word & NAME) {
        *known = ComponentStatus(word & NAME, atomicLoad(&pivots[region]) == REDUCED);
    }
    if !(*known).is_reduced {
        atomicStore(&regions[i], word | END_COMPONENT);
        return false;
    }
    atomicStore(&retained[i], has & ~TOUCHED);
    atomicStore(&regions[i], region);
    if !is_all {
        atomicStore(&degrees[2u * i], 0u);
        atomicStore(&degrees[2u * i + 1u], 0u);
    }
    return true;
}

/// COUNT_DEGREES: the edges of a state if it goes on. They lead to states of the same region.
fn load_live(state: u32) -> QueueEntry {
    let word = atomicLoad(&regions[state]);
    if !is_live(word) {
        return QueueEntry(NO_ENTRY, 0u, vec2(0u));
    }
    return QueueEntry(state, word, row(0u, state));
}

/// FIND_TRIMMED: states that no edge enters, or none leaves, are trimmed.
fn find_trimmed(iteration: Iteration, local: u32) {
    let stride = iteration.groups * SIZE;
    for (var base = iteration.group * SIZE; base < params.states; base += stride) {
        let i = base + local;
        if i < params.states {
            let word = atomicLoad(&regions[i]);
            if is_live(word) {
                trim_if_edgeless(iteration, i, word, degrees_of(i));
            }
        }
        spill(iteration, SPILL_ABOVE, local);
    }
}
#endif
