//! The parts of the fast engine that look at all states, or at all that were reached, and at no edge.
#import worklist/lib/candidates
#import worklist/lib/explore
#import worklist/lib/words

// Four for each invocation.
const_assert PIVOT_EACH == 4u * SIZE;

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

/// Looks before it writes: most candidates are worse than one that was there before. The first one of a region lists it, at
/// the queue's beginning.
fn offer(name: u32, key: u32) {
    if key == 0u || atomicLoad(&pivots[name]) >= key {
        return;
    }
    if (atomicMax(&pivots[name], key) & KEY) == 0u {
        let at = atomicAdd(&loop_next.words[2], 1u);
        queue[at] = name;
    }
}

/// The best candidate that an invocation has seen in the region it saw last, and how many live states in all.
struct Best {
    name: u32,
    key: u32,
    live: u32,
}

/// What an invocation sees of a state. Of none that is not there.
fn look_at(i: u32) -> vec2<u32> {
    let state = min(i, params.states - 1u);
    // Asked at once, lest one answer waits for the other.
    return vec2(atomicLoad(&regions[state]) | select(0u, DONE, i >= params.states), key_of(state));
}

fn compare(seen: vec2<u32>, best: ptr<function, Best>) {
    if !is_live(seen.x) {
        return;
    }
    (*best).live += 1u;
    if seen.x != (*best).name {
        offer((*best).name, (*best).key);
        (*best).name = seen.x;
        (*best).key = 0u;
    }
    (*best).key = max((*best).key, seen.y);
}

/// PIVOT: the candidate of the largest key in every region; counts live states. Neighbouring states are mostly of one
/// region, and at first all are: an invocation offers its best once, and so does a workgroup. Four are asked at once.
fn choose_pivots(turn: Turn, local: u32) {
    var best = Best(0u, 0u, 0u);
    for (var i = turn.group * PIVOT_EACH + local; i < params.states; i += turn.groups * PIVOT_EACH) {
        let a = look_at(i);
        let b = look_at(i + SIZE);
        let c = look_at(i + 2u * SIZE);
        let d = look_at(i + 3u * SIZE);
        compare(a, &best);
        compare(b, &best);
        compare(c, &best);
        compare(d, &best);
    }
    if best.live != 0u {
        atomicAdd(&live_states, best.live);
        atomicMax(&lead_name, best.name);
    }
    workgroupBarrier();
    if best.name == atomicLoad(&lead_name) {
        atomicMax(&lead_key, best.key);
    } else {
        offer(best.name, best.key);
    }
    workgroupBarrier();
    let live = atomicLoad(&live_states);
    if local == 0u && live != 0u {
        offer(atomicLoad(&lead_name), atomicLoad(&lead_key));
        atomicAdd(&loop_next.words[1], live);
    }
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
    let queued = turn.head - turn.start;
    for (var i = turn.group * SIZE + local; i < queued + turn.logged; i += turn.groups * SIZE) {
        let at = select(params.capacity - 1u - (i - queued), turn.start + i, i < queued);
        let entry = queue[at];
        let state = entry & STATE;
        let side = entry >> 31u;
        // Both asked at once, lest one answer waits for the other.
        let by = reached_by(state);
        let word = atomicLoad(&regions[state]);
        // A state that both searches reached is logged twice.
        if by == 0u || (by == 3u && side == 1u) {
            continue;
        }
        let pivot = atomicLoad(&pivots[word & NAME]);
        atomicStore(&regions[state], select(region_name(pivot, by) | (word & FALLEN), DONE | pivot, by == 3u));
        // RESULT UNUSED: the bits are those of a state that has one entry here.
        atomicAnd(&reached[state / 16u], ~(3u << reached_shift(state)));
    }
}
