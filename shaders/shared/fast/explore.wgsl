//! Exploring: follows the edges of the queue's entries, and what is found on.
//!
//! Neither removing edges nor reaching states needs to go by levels. So a workgroup explores its share of the queue,
//! then what it found itself, and hands over what is left when that becomes too much for it, or after some hops.
//! Edges are dealt to invocations one by one, whatever states they belong to:
//!
//!     loop:
//!         take up to 256 entries of the share; if there are none, of the pile            explore
//!         lay their rows end to end; invocation i deals with edges i, i + 256, ...       expand
//!         for an edge from a state s to t, by the part:                                  visit
//!             PEEL     t of the same region, and live: t loses an edge
//!             SEARCH   t of the same region, not reached before: reach it; found t
//!             RECOUNT  t of the same region, but reached by other searches: s loses an edge, and t one
//!             STARVE, COUNT, LEAVE    with choices, see `rounds.wgsl`
//!
//! In RECOUNT the edges are those against the search's direction: with the searches at their end, all that a split
//! cuts are found among them (an edge from u to v is cut if other searches reached u than v; then v was reached by
//! the forward search alone, or u by the backward search alone, or one of them is in the component, which keeps no
//! counts). The edges of fallen states that PEEL follows backward are cut too.
//!
//! flags: CHOICES
#import fast/choices
#import fast/pile
#import fast/slots

/// An entry, and what there is to know of it.
struct Found {
    entry: u32,
    /// Its state's region.
    name: u32,
    /// Where the edges to be followed lie.
    row: vec2<u32>,
}

/// The entries that are explored, one an invocation.
var<workgroup> opened: array<Found, SIZE>;
var<workgroup> log_base: u32;

/// Which way the edges of an entry are followed: 0 forward, 1 backward.
fn direction(part: u32, entry: u32) -> u32 {
    return (entry >> 31u) ^ select(0u, 1u, part == RECOUNT);
}

fn visit(turn: Turn, part: u32, entry: u32, name: u32, position: u32) {
    touches(1u);
    let side = entry >> 31u;
    let along = direction(part, entry);
    let t = edge(along, position);
    switch part {
        case PEEL: {
            if is_counted(turn, t, name, along, position) {
                if side == 1u {
                    touch(t);
                }
                if lose_edge(t, side) {
                    found(turn, t | (entry & BACKWARD));
                }
            }
        }
        case SEARCH: {
            let bit = 1u << (reached_shift(t) + side);
            if (reached_word(t) & bit) == 0u && reach_first(turn, t, bit, name, along, position) {
                found(turn, t | (entry & BACKWARD));
            }
        }
#ifdef CHOICES
        case STARVE, LEAVE: {
            if side == 1u {
                if starve(position, t) {
                    found(turn, t | BACKWARD);
                }
            } else {
                leave_by(turn, position, name, entry & STATE, t);
            }
        }
        case COUNT: {
            count_edge(turn, position, entry & STATE, t);
        }
#endif
        default: {
            if (atomicLoad(&regions[t]) & ~FALLEN) != name {
                return;
            }
            let by = reached_by(t);
            if by != 1u + side && is_present(turn, along, position) {
                touch(select(entry & STATE, t, along == 1u));
                if lose_edge(entry & STATE, side) {
                    found(turn, entry);
                }
                if by == 0u && lose_edge(t, 1u - side) {
                    found(turn, t | (BACKWARD & ~entry));
                }
            }
        }
    }
}

/// PEEL: whether an edge between a fallen state of region `name` and `t` counts. Before the first split there is one
/// region, and nobody looks at the counts of the fallen.
fn is_counted(turn: Turn, t: u32, name: u32, along: u32, position: u32) -> bool {
    return turn.is_whole || (atomicLoad(&regions[t]) == name && is_present(turn, along, position));
}

/// The word of a state that was peeled: it is a component of its own.
fn peeled_word(state: u32) -> u32 {
#ifdef CHOICES
    // All choices but those that lead to the state alone leave it.
    return select(DEAD, DONE | FALLEN | state, (atomicLoad(&retained[state]) & LOOP) != 0u);
#else
    return DONE | state;
#endif
}

/// SEARCH: an invocation's edges of a window, what they are to be asked asked at once.
fn search_four(turn: Turn, window: u32, edges: u32, local: u32) {
    // Past the end, the last one again.
    let last = vec4(min(edges - window, SLOTS) - 1u);
    let wanted = vec4(local) + vec4(0u, SIZE, 2u * SIZE, 3u * SIZE);
    let at = min(wanted, last);
    touches(dot(vec4(1u), vec4<u32>(wanted <= last)));
    let a = opened[slots[at.x]];
    let b = opened[slots[at.y]];
    let c = opened[slots[at.z]];
    let d = opened[slots[at.w]];
    let sides = vec4(a.entry, b.entry, c.entry, d.entry) & vec4(BACKWARD);
    let positions = vec4(a.row.x, b.row.x, c.row.x, d.row.x) + vec4(window) + at;
    let side = sides >> vec4(31u);
    let t = vec4(edge(side.x, positions.x), edge(side.y, positions.y), edge(side.z, positions.z), edge(side.w, positions.w));
    let bits = vec4(1u) << (2u * (t % vec4(16u)) + side);
    let words = vec4(reached_word(t.x), reached_word(t.y), reached_word(t.z), reached_word(t.w));
    let is_new = (words & bits) == vec4(0u) & wanted <= last;
    let names = vec4(a.name, b.name, c.name, d.name);
    let is_first = vec4<bool>(
        is_new.x && reach_first(turn, t.x, bits.x, names.x, side.x, positions.x),
        is_new.y && reach_first(turn, t.y, bits.y, names.y, side.y, positions.y),
        is_new.z && reach_first(turn, t.z, bits.z, names.z, side.z, positions.z),
        is_new.w && reach_first(turn, t.w, bits.w, names.w, side.w, positions.w),
    );
    found_four(turn, t | sides, is_first);
}

/// Whether all states are live, and of one region, and all edges count.
fn is_all_one(turn: Turn) -> bool {
    return turn.round == 1u && !turn.is_thinned && turn.live == params.states;
}

/// SEARCH: marks a state that no edge had reached, unless it is of another region. Whether it was the first to do so.
fn reach_first(turn: Turn, t: u32, bit: u32, name: u32, along: u32, position: u32) -> bool {
    if !is_all_one(turn) && (atomicLoad(&regions[t]) != name || !is_present(turn, along, position)) {
        return false;
    }
    return reach(t, bit);
}

/// What there is to know of an entry of the queue.
fn fetch(turn: Turn, entry: u32) -> Found {
    let state = entry & STATE;
    var name = 0u;
    if turn.part != SEARCH || !is_all_one(turn) {
        name = atomicLoad(&regions[state]) & NAME;
    }
    return Found(entry, name, row(direction(turn.part, entry), state));
}

/// Takes slots for a state's row, or leaves the row to all workgroups. Returns the slots.
fn open(turn: Turn, own: Found, local: u32) -> vec2<u32> {
    let entry = own.entry;
    let state = entry & STATE;
    if !is_bound(direction(turn.part, entry), state) {
        return vec2(0u);
    }
    if turn.part == PEEL {
        atomicStore(&regions[state], peeled_word(state));
    }
    let degree = own.row.y - own.row.x;
    if degree == 0u || (turn.part == RECOUNT && reached_by(state) == 3u) {
        return vec2(0u);
    }
    if degree > params.heavy_degree {
        leave_to_all(own.entry, own.name, degree);
        return vec2(0u);
    }
    let first = atomicAdd(&slots_taken, degree);
    // From a slot to a position.
    opened[local] = Found(entry, own.name, vec2(own.row.x - first, 0u));
    return vec2(first, first + degree);
}

/// Follows the edges of a batch of entries, one of each of the first `batch` invocations. Every call is to be
/// followed by a barrier; then `log_base` says where to log them.
fn expand(turn: Turn, entry: Found, batch: u32, is_logged: bool, local: u32) {
    // By an invocation that has no entry of its own unless there are very many. It waits for the answers at the end.
    var others = 0u;
    var base = 0u;
    if local == SIZE - 1u {
        others = atomicLoad(&loop_next.words[0]);
        if is_logged {
            base = atomicAdd(&loop_next.words[1], batch);
        }
    }
    var own = vec2(0u);
    if local < batch {
        own = open(turn, entry, local);
    }
    let edges = workgroupUniformLoad(&slots_taken);
    for (var window = 0u; window < edges; window += SLOTS) {
        if window != 0u {
            workgroupBarrier();
        }
        for (var j = max(own.x, window); j < min(own.y, window + SLOTS); j += 1u) {
            slots[j - window] = local;
        }
        workgroupBarrier();
        if turn.part == SEARCH {
            if window + local < edges {
                search_four(turn, window, edges, local);
            }
            continue;
        }
        for (var j = window + local; j < min(edges, window + SLOTS); j += SIZE) {
            let source = opened[slots[j - window]];
            visit(turn, turn.part, source.entry, source.name, source.row.x + j);
        }
    }
    // Their next users come after a barrier.
    if local == 0u {
        atomicStore(&slots_taken, 0u);
    }
    if local == SIZE - 1u {
        handed_over = others;
        log_base = base;
    }
}

/// The entries of the queue from `begin` to `end`, shared out evenly, and what is found on the way. RECOUNT goes
/// through all that was logged too.
fn explore(turn: Turn, begin: u32, end: u32, local: u32) {
    let share = (end - begin + turn.groups - 1u) / turn.groups;
    var next = min(begin + turn.group * share, end);
    let stop = min(next + share, end);
    var hop = 0u;
    // What is to be logged yet.
    var unlogged = 0u;
    var unlogged_entry = 0u;
    loop {
        var batch = min(stop - next, SIZE);
        let from_pile = batch == 0u;
        var entry = Found(0u, 0u, vec2(0u));
        if from_pile {
            let others = workgroupUniformLoad(&handed_over);
            if local < unlogged {
                queue[params.capacity - 1u - (turn.logged + log_base + local)] = unlogged_entry;
            }
            let count = held();
            let is_little = count <= params.narrow && others < params.handover;
            let goes_on = turn.part != RECOUNT && hop < params.hops && is_little;
            if count == 0u || !goes_on {
                break;
            }
            batch = min(count, SIZE);
            if local < batch {
                entry = fetch(turn, pile[count - 1u - local]);
            }
            workgroupBarrier();
            if local == 0u {
                atomicStore(&pile_len, count - batch);
            }
            hop += 1u;
        } else {
            hand_over(turn, PILE / 2u, local);
            if local < batch {
                entry = fetch(turn, entry_at(turn, next + local));
            }
            next += batch;
        }
        let is_logged = from_pile && turn.part == SEARCH;
        expand(turn, entry, batch, is_logged, local);
        unlogged = select(0u, batch, is_logged);
        unlogged_entry = entry.entry;
    }
}

/// An entry of the queue; past its end, of the log.
fn entry_at(turn: Turn, index: u32) -> u32 {
    if index < turn.end {
        return queue[index];
    }
    return queue[params.capacity - 1u - (index - turn.end)];
}

/// The rows that an earlier iteration left to all workgroups.
fn explore_heavy(turn: Turn, part: u32, local: u32) {
    for (var i = 0u; i < turn.heavy; i += 1u) {
        let now = left_to_all(i);
        let edges = row_together(direction(part, now.x), now.x & STATE, local);
        for (var base = edges.x + turn.group * SLOTS; base < edges.y; base += turn.groups * SLOTS) {
            for (var j = base + local; j < min(edges.y, base + SLOTS); j += SIZE) {
                visit(turn, part, now.x, now.y, j);
            }
            hand_over(turn, PILE / 2u, local);
        }
    }
}
