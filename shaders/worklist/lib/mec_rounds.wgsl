//! Between the rounds of a search for maximal end components: which components are done, and which go on without the
//! choices that they have lost.
//!
//! flags: CHOICES
#import worklist/lib/candidates
#import worklist/lib/choices
#import worklist/lib/explore
#ifdef CHOICES

/// How many states go on, and PROGRESS.
var<workgroup> reopened_states: atomic<u32>;

/// No entry of any queue: no dispatch has the edges of this state.
const NOBODY = STATE;

/// Whether a state is in a component that a search has found, and nobody has asked whether that is an end component.
fn is_undecided(word: u32) -> bool {
    return (word & (DONE | FALLEN)) == DONE;
}

/// INIT: all states are one component that has lost something; those without a choice are dead.
fn begin(turn: Turn, local: u32) {
    for (var base = turn.group * SIZE; base < params.states; base += turn.groups * SIZE) {
        let i = base + local;
        if i < params.states {
            atomicStore(&regions[i], DONE);
            if atomicLoad(&retained[i]) == 0u {
                found(turn, i | BACKWARD);
            }
        }
        if i == 0u {
            split(0u);
        }
        hand_over(turn, PILE / 2u, local);
    }
}

/// LEAVE: the edges of states that were touched. Their components are split.
fn leaving(state: u32) -> Found {
    let word = atomicLoad(&regions[state]);
    if !is_undecided(word) || (atomicLoad(&retained[state]) & TOUCHED) == 0u {
        return Found(NOBODY, 0u, vec2(0u));
    }
    split(word & NAME);
    return Found(state, word & NAME, row(0u, state));
}

/// LEAVE, for an edge of a touched state: if it leads out of the component, the choice goes.
fn leave_by(turn: Turn, position: u32, component: u32, source: u32, reached_state: u32) {
    if atomicLoad(&regions[reached_state]) == (DONE | component) {
        return;
    }
    if take_choice(edge_choices[position]) && lose_choice(source) == 1u {
        found(turn, source | BACKWARD);
    }
}

/// STARVE, for an edge into a dead state: a choice that may lead there goes. Whether its state is dead now. Components
/// that are done have forgotten theirs.
fn starve(position: u32, source: u32) -> bool {
    // Both asked at once, lest one answer waits for the other.
    let word = atomicLoad(&regions[source]);
    let is_first = take_choice(back_edge_choices[position]);
    if !is_first || !is_undecided(word) {
        return false;
    }
    split(word & NAME);
    return lose_choice(source) == 1u;
}

/// REOPEN: dead states are in no end component; a component that has lost nothing is one; the others become regions.
/// Counts their states. If that is the whole graph, counts edges too.
fn reopen(turn: Turn, local: u32) {
    let stride = turn.groups * SIZE;
    var has_lost = turn.is_whole;
    if !reopens_all(turn) {
        for (var i = turn.group * SIZE + local; i < arrayLength(&removed); i += stride) {
            let word = atomicLoad(&removed[i]);
            has_lost |= absent[i] != word;
            absent[i] = word;
        }
    }
    if has_lost && (atomicLoad(&reopened_states) & PROGRESS) == 0u {
        // RESULT UNUSED: the bit is only set, by any invocation.
        atomicOr(&reopened_states, PROGRESS);
    }
    var count = 0u;
    var best = 0u;
    // Neighbouring states are mostly of one component.
    var known = Fate(NAME, false);
    for (var base = turn.group * SIZE; base < params.states; base += stride) {
        let i = base + local;
        if i < params.states && reopen_state(turn, i, &known) {
            count += 1u;
            if reopens_all(turn) {
                let degrees = count_edges(turn, i);
                best = max(best, key(i, degrees.x, degrees.y));
            }
        }
        hand_over(turn, PILE / 2u, local);
    }
    if reopens_all(turn) {
        offer_first(best, local);
    }
    if count != 0u {
        atomicAdd(&reopened_states, count);
    }
    let all = workgroupUniformLoad(&reopened_states);
    if local == 0u && (all & ~PROGRESS) != 0u {
        atomicAdd(&loop_next.words[1], all & ~PROGRESS);
    }
    if local == 0u && (all & PROGRESS) != 0u {
        // RESULT UNUSED: the bit is only set, by any workgroup.
        atomicOr(&loop_next.words[1], PROGRESS);
    }
}

/// What becomes of a component.
struct Fate {
    component: u32,
    is_split: bool,
}

/// Whether state `i` goes on. Keeps what is known of its component.
fn reopen_state(turn: Turn, i: u32, known: ptr<function, Fate>) -> bool {
    let word = atomicLoad(&regions[i]);
    if !is_undecided(word) {
        return false;
    }
    let has = atomicLoad(&retained[i]);
    let region = region_name(word & NAME, 0u);
    if (has & COUNT_MASK) == 0u {
        atomicStore(&regions[i], DEAD);
        return false;
    }
    if (*known).component != (word & NAME) {
        *known = Fate(word & NAME, atomicLoad(&pivots[region]) == SPLIT);
    }
    if !(*known).is_split {
        atomicStore(&regions[i], word | FALLEN);
        return false;
    }
    atomicStore(&retained[i], has & ~TOUCHED);
    atomicStore(&regions[i], region);
    if !reopens_all(turn) {
        atomicStore(&degrees[2u * i], 0u);
        atomicStore(&degrees[2u * i + 1u], 0u);
    }
    return true;
}

/// COUNT: edges that are left, from the states that go on. They lead to states of the same region.
fn going_on(state: u32) -> Found {
    let word = atomicLoad(&regions[state]);
    if !is_live(word) {
        return Found(NOBODY, 0u, vec2(0u));
    }
    return Found(state, word, row(0u, state));
}

/// COUNT, for an edge.
fn count_edge(turn: Turn, position: u32, source: u32, reached_state: u32) {
    if is_present(turn, 0u, position) {
        atomicAdd(&degrees[2u * reached_state], 1u);
        atomicAdd(&degrees[2u * source + 1u], 1u);
    }
}

/// FALL: states that no edge reaches, or none leaves, fall.
fn fall(turn: Turn, local: u32) {
    for (var base = turn.group * SIZE; base < params.states; base += turn.groups * SIZE) {
        let i = base + local;
        if i < params.states {
            let word = atomicLoad(&regions[i]);
            if is_live(word) {
                fall_without_edges(turn, i, word, atomicLoad(&degrees[2u * i]), atomicLoad(&degrees[2u * i + 1u]));
            }
        }
        hand_over(turn, PILE / 2u, local);
    }
}
#endif
