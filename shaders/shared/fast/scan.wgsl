//! The parts of the fast engine that look at all states, or at all that were reached, and at no edge.
#import fast/candidates
#import fast/explore
#import fast/words

var<workgroup> lead_name: atomic<u32>;
var<workgroup> lead_key: atomic<u32>;
var<workgroup> live_states: atomic<u32>;

/// INIT: all edges count; a state that none reaches, or none leaves, falls.
fn init(turn: Turn, local: u32) {
    var best = 0u;
    for (var base = turn.group * SIZE; base < params.states; base += turn.groups * SIZE) {
        let i = base + local;
        if i < params.states {
            atomicStore(&regions[i], 0u);
            let degrees = count_edges(turn, i);
            best = max(best, key(i, degrees.x, degrees.y));
        }
        hand_over(turn, PILE / 2u, local);
    }
    offer_first(best, local);
}

/// Looks before it writes: most candidates are worse than one that was there before.
fn offer(name: u32, key: u32) {
    if key != 0u && atomicLoad(&pivots[name]) < key {
        atomicMax(&pivots[name], key);
    }
}

/// PIVOT: the candidate of the largest key in every region; counts live states. Neighbouring states are mostly of one
/// region, and at first all are: an invocation offers its best once, and so does a workgroup.
fn choose_pivots(turn: Turn, local: u32) {
    var name = 0u;
    var best = 0u;
    var live = 0u;
    for (var i = turn.group * SIZE + local; i < params.states; i += turn.groups * SIZE) {
        let word = atomicLoad(&regions[i]);
        // Asked at once, lest one answer waits for the other.
        let key = key_of(i);
        if !is_live(word) {
            continue;
        }
        live += 1u;
        if word != name {
            offer(name, best);
            name = word;
            best = 0u;
        }
        best = max(best, key);
    }
    if live != 0u {
        atomicAdd(&live_states, live);
        atomicMax(&lead_name, name);
    }
    workgroupBarrier();
    if name == atomicLoad(&lead_name) {
        atomicMax(&lead_key, best);
    } else {
        offer(name, best);
    }
    workgroupBarrier();
    if local == 0u {
        offer(atomicLoad(&lead_name), atomicLoad(&lead_key));
        atomicAdd(&loop_next.words[1], atomicLoad(&live_states));
    }
}

/// SEED: pivots are reached by both searches.
fn seed(turn: Turn, local: u32) {
    if knew_first(turn) {
        if turn.group == 0u && local == 0u {
            let pivot = state_of(atomicExchange(&pivots[FIRST], 0u));
            atomicStore(&pivots[0], pivot);
            seed_state(turn, pivot);
        }
        return;
    }
    var name = NAME;
    var best = 0u;
    for (var base = turn.group * SIZE; base < params.states; base += turn.groups * SIZE) {
        let i = base + local;
        if i < params.states {
            let word = atomicLoad(&regions[i]);
            if is_live(word) {
                if word != name {
                    name = word;
                    best = atomicLoad(&pivots[name]);
                }
                if best == key_of(i) && becomes_pivot(name, best, i) {
                    seed_state(turn, i);
                }
            }
        }
        hand_over(turn, PILE / 2u, local);
    }
}

fn seed_state(turn: Turn, pivot: u32) {
    atomicOr(&reached[pivot / 16u], 3u << reached_shift(pivot));
    found(turn, pivot);
    found(turn, pivot | BACKWARD);
}

/// One of the states whose key is the best.
fn becomes_pivot(name: u32, key: u32, state: u32) -> bool {
    var swap = atomicCompareExchangeWeak(&pivots[name], key, state);
    while !swap.exchanged && swap.old_value == key {
        swap = atomicCompareExchangeWeak(&pivots[name], key, state);
    }
    return swap.exchanged;
}

/// FINISH: every region is the component of its pivot; with choices, and if no edge was cut, an end component.
fn finish(turn: Turn, local: u32) {
    let done = select(DONE, DONE | FALLEN, turn.is_pristine);
    // Neighbouring states are mostly of one region.
    var name = NAME;
    var pivot = 0u;
    for (var i = turn.group * SIZE + local; i < params.states; i += turn.groups * SIZE) {
        let word = atomicLoad(&regions[i]);
        if is_live(word) {
            if word != name {
                name = word;
                pivot = atomicLoad(&pivots[name]);
            }
            atomicStore(&regions[i], done | pivot);
        }
        if i % 16u == 0u {
            atomicStore(&reached[i / 16u], 0u);
        }
    }
}

/// RELABEL: names components and regions, and forgets who reached them.
fn relabel(turn: Turn, local: u32) {
    let count = turn.head + turn.logged;
    for (var i = turn.group * SIZE + local; i < count; i += turn.groups * SIZE) {
        let at = select(params.capacity - 1u - (i - turn.head), i, i < turn.head);
        let entry = queue[at];
        let state = entry & STATE;
        let side = entry >> 31u;
        let by = reached_by(state);
        // A state that both searches reached is logged twice.
        if by == 0u || (by == 3u && side == 1u) {
            continue;
        }
        let word = atomicLoad(&regions[state]);
        let pivot = atomicLoad(&pivots[word & NAME]);
        atomicStore(&regions[state], select(region_name(pivot, by) | (word & FALLEN), DONE | pivot, by == 3u));
        atomicAnd(&reached[state / 16u], ~(3u << reached_shift(state)));
    }
}
