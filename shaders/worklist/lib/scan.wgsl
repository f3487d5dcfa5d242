//! The phases that look at all states, or at all reached states, but at no edges.
#import worklist/lib/candidates
#import worklist/lib/degrees
#import worklist/lib/queue
#import worklist/lib/words

// Four states for each invocation.
const_assert PIVOT_BATCH == 4u * SIZE;

var<workgroup> common_name: atomic<u32>;
var<workgroup> common_key: atomic<u32>;
var<workgroup> live_states: atomic<u32>;

/// INIT: all edges count. States that no edge enters, or none leaves, are trimmed.
fn init(iteration: Iteration, local: u32) {
    var best = 0u;
    let stride = iteration.groups * SIZE;
    for (var base = iteration.group * SIZE; base < params.states; base += stride) {
        let i = base + local;
        if i < params.states {
            atomicStore(&regions[i], 0u);
            best = max(best, key(i, init_degrees(iteration, i)));
        }
        spill(iteration, SPILL_ABOVE, local);
    }
    offer_first(best, local);
}

/// Offers a candidate for a region. The first one of a region lists it, at the beginning of the
/// queue. Reads before it writes: most candidates are worse than one that was offered before.
fn offer(name: u32, key: u32) {
    if key == 0u || atomicLoad(&pivots[name]) >= key {
        return;
    }
    if (atomicMax(&pivots[name], key) & KEY) == 0u {
        let at = atomicAdd(&loop_next.words[CONTROL_REGIONS], 1u);
        queue[at] = name;
    }
}

/// The best candidate that an invocation has seen in the region that it saw last, and how many live
/// states it has seen in all regions.
struct Best {
    name: u32,
    key: u32,
    live: u32,
}

/// Returns a state's word of `regions`, and its key as a candidate, or 0 if none is wanted. Past
/// the last state, one that is not live.
fn look_at(i: u32, is_late: bool) -> vec2<u32> {
    let state = min(i, params.states - 1u);
    // Both accesses at once, so that neither waits for the other.
    let word = atomicLoad(&regions[state]) | select(0u, DONE, i >= params.states);
    return vec2(word, select(key(state, degrees_of(state)), 0u, is_late));
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

/// PIVOT: finds the candidate with the largest key in every region, and counts live states.
/// Neighbouring states are mostly of one region, and at first all are, so an invocation offers its
/// best once, and so does a workgroup. An invocation looks at four states at once. If colours are
/// to divide the regions, nothing is offered, so that no region has a candidate afterwards.
fn choose_pivots(iteration: Iteration, local: u32) {
    var best = Best(0u, 0u, 0u);
    let is_late = is_late();
    let stride = iteration.groups * PIVOT_BATCH;
    for (var i = iteration.group * PIVOT_BATCH + local; i < params.states; i += stride) {
        let a = look_at(i, is_late);
        let b = look_at(i + SIZE, is_late);
        let c = look_at(i + 2u * SIZE, is_late);
        let d = look_at(i + 3u * SIZE, is_late);
        compare(a, &best);
        compare(b, &best);
        compare(c, &best);
        compare(d, &best);
    }
    if best.live != 0u {
        atomicAdd(&live_states, best.live);
        atomicMax(&common_name, best.name);
    }
    workgroupBarrier();
    if best.name == atomicLoad(&common_name) {
        atomicMax(&common_key, best.key);
    } else {
        offer(best.name, best.key);
    }
    workgroupBarrier();
    let live = atomicLoad(&live_states);
    if local == 0u && live != 0u {
        offer(atomicLoad(&common_name), atomicLoad(&common_key));
        atomicAdd(&loop_next.words[CONTROL_LIVE], live);
    }
}

/// FINISH: every region is the component of its pivot; with choices, it is an end component if no
/// edge was cut.
fn finish(iteration: Iteration, local: u32) {
    let done = select(DONE, DONE | END_COMPONENT, iteration.is_uncut);
    // Neighbouring states are mostly of one region.
    var name = NAME;
    var pivot = 0u;
    let stride = iteration.groups * SIZE;
    for (var i = iteration.group * SIZE + local; i < params.states; i += stride) {
        let word = atomicLoad(&regions[i]);
        if is_live(word) {
            if word != name {
                name = word;
                pivot = atomicLoad(&pivots[name]);
            }
            atomicStore(&regions[i], done | pivot);
        }
        if i % REACHED_PER_WORD == 0u {
            atomicStore(&reached[i / REACHED_PER_WORD], 0u);
        }
    }
}

/// RELABEL: names components and regions, and clears the bits of the searches.
fn relabel(iteration: Iteration, local: u32) {
    let queued = iteration.head - iteration.start;
    let all = queued + iteration.logged;
    let stride = iteration.groups * SIZE;
    for (var i = iteration.group * SIZE + local; i < all; i += stride) {
        let entry = queue[select(log_place(i - queued), iteration.start + i, i < queued)];
        let state = entry & STATE;
        let side = entry >> 31u;
        // Both accesses at once, so that neither waits for the other.
        let by = reached_by(state);
        let word = atomicLoad(&regions[state]);
        // A state that both searches have reached has two entries.
        if by == 0u || (by == 3u && side == 1u) {
            continue;
        }
        let pivot = atomicLoad(&pivots[word & NAME]);
        let region = region_name(pivot, by) | (word & TRIMMED);
        atomicStore(&regions[state], select(region, DONE | pivot, by == 3u));
        // RESULT UNUSED: the bits are those of a state that has one entry here.
        atomicAnd(&reached[state / REACHED_PER_WORD], ~(3u << reached_shift(state)));
    }
}
