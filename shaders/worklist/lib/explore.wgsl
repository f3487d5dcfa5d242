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
//!             STARVE, COUNT, LEAVE    with choices, see `mec_rounds.wgsl`
//!
//! In RECOUNT the edges are those against the search's direction: with the searches at their end, all that a split
//! cuts are found among them (an edge from u to v is cut if other searches reached u than v; then v was reached by
//! the forward search alone, or u by the backward search alone, or one of them is in the component, which keeps no
//! counts). The edges of fallen states that PEEL follows backward are cut too.
//!
//! flags: CHOICES
#import worklist/lib/choices
#import worklist/lib/queue
#import worklist/lib/seeds
#import worklist/lib/expansion

/// An entry, and what there is to know of it.
struct Found {
    entry: u32,
    /// Its state's region.
    name: u32,
    /// Where the edges to be followed lie.
    row: vec2<u32>,
}

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
            if (atomicLoad(&regions[t]) & ~FALLEN) == name {
                cut(turn, entry, t, reached_by(t), position);
            }
        }
    }
}

/// RECOUNT, for an edge between two states of a region, to `t`, which the searches `by` reached.
fn cut(turn: Turn, entry: u32, t: u32, by: u32, position: u32) {
    let side = entry >> 31u;
    let along = 1u - side;
    if by == 1u + side || !is_present(turn, along, position) {
        return;
    }
    touch(select(entry & STATE, t, along == 1u));
    if lose_edge(entry & STATE, side) {
        found(turn, entry);
    }
    if by == 0u && lose_edge(t, 1u - side) {
        found(turn, t | (BACKWARD & ~entry));
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

/// An invocation's edges of a window.
struct Four {
    is_there: vec4<bool>,
    /// Whose edges they are, and these states' regions.
    entries: vec4<u32>,
    names: vec4<u32>,
    positions: vec4<u32>,
}

fn four_of(window: u32, edges: u32, local: u32) -> Four {
    // Past the end, the last one again.
    let last = vec4(min(edges - window, SLOTS) - 1u);
    let wanted = vec4(local) + vec4(0u, SIZE, 2u * SIZE, 3u * SIZE);
    let at = min(wanted, last);
    touches(dot(vec4(1u), vec4<u32>(wanted <= last)));
    let a = owner_of(at.x);
    let b = owner_of(at.y);
    let c = owner_of(at.z);
    let d = owner_of(at.w);
    return Four(
        wanted <= last,
        vec4(a.item, b.item, c.item, d.item),
        vec4(a.name, b.name, c.name, d.name),
        vec4(a.base, b.base, c.base, d.base) + vec4(window) + at,
    );
}

/// SEARCH: what an invocation's edges are to be asked, asked at once.
fn search_four(turn: Turn, window: u32, edges: u32, local: u32) {
    let four = four_of(window, edges, local);
    let side = four.entries >> vec4(31u);
    let at = four.positions;
    let t = vec4(edge(side.x, at.x), edge(side.y, at.y), edge(side.z, at.z), edge(side.w, at.w));
    let bits = vec4(1u) << (2u * (t % vec4(16u)) + side);
    let words = vec4(reached_word(t.x), reached_word(t.y), reached_word(t.z), reached_word(t.w));
    let is_new = (words & bits) == vec4(0u) & four.is_there;
    let names = four.names;
    let is_first = vec4<bool>(
        is_new.x && reach_first(turn, t.x, bits.x, names.x, side.x, at.x),
        is_new.y && reach_first(turn, t.y, bits.y, names.y, side.y, at.y),
        is_new.z && reach_first(turn, t.z, bits.z, names.z, side.z, at.z),
        is_new.w && reach_first(turn, t.w, bits.w, names.w, side.w, at.w),
    );
    found_four(turn, t | (four.entries & vec4(BACKWARD)), is_first);
}

/// RECOUNT: what an invocation's edges are to be asked, asked at once.
fn recount_four(turn: Turn, window: u32, edges: u32, local: u32) {
    let four = four_of(window, edges, local);
    let along = vec4(1u) - (four.entries >> vec4(31u));
    let at = four.positions;
    let t = vec4(edge(along.x, at.x), edge(along.y, at.y), edge(along.z, at.z), edge(along.w, at.w));
    let words = vec4(atomicLoad(&regions[t.x]), atomicLoad(&regions[t.y]), atomicLoad(&regions[t.z]), atomicLoad(&regions[t.w]));
    let reached = vec4(reached_word(t.x), reached_word(t.y), reached_word(t.z), reached_word(t.w));
    let by = (reached >> (2u * (t % vec4(16u)))) & vec4(3u);
    let is_cut = (words & vec4(~FALLEN)) == four.names & four.is_there;
    if is_cut.x {
        cut(turn, four.entries.x, t.x, by.x, at.x);
    }
    if is_cut.y {
        cut(turn, four.entries.y, t.y, by.y, at.y);
    }
    if is_cut.z {
        cut(turn, four.entries.z, t.z, by.z, at.z);
    }
    if is_cut.w {
        cut(turn, four.entries.w, t.w, by.w, at.w);
    }
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
    // Asked before where the row lies is known.
    let is_done = turn.part == RECOUNT && reached_by(state) == 3u;
    if turn.part == PEEL {
        atomicStore(&regions[state], peeled_word(state));
    }
    let degree = own.row.y - own.row.x;
    if degree == 0u || is_done {
        return vec2(0u);
    }
    if degree > params.heavy_degree {
        leave_to_all(own.entry, own.name);
        return vec2(0u);
    }
    let first = atomicAdd(&slots_taken, degree);
    set_owner(local, Owner(own.row.x - first, entry, own.name));
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
        deal_slots(own, window, local);
        if turn.part == SEARCH || turn.part == RECOUNT {
            if window + local < edges {
                if turn.part == SEARCH {
                    search_four(turn, window, edges, local);
                } else {
                    recount_four(turn, window, edges, local);
                }
            }
            continue;
        }
        for (var j = window + local; j < min(edges, window + SLOTS); j += SIZE) {
            let source = owner_of(j - window);
            visit(turn, turn.part, source.item, source.name, source.base + j);
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

/// The entries of the queue, or what else a part goes through, shared out evenly, and what is found on the way.
fn explore(turn: Turn, local: u32) {
    let portion = portion_of(turn);
    var next = portion.next;
    let stop = portion.stop;
    var hop = 0u;
    // What is to be logged yet.
    var unlogged = 0u;
    var unlogged_entry = 0u;
    loop {
        let from_pile = next >= stop;
        var batch = select(min(stop - next, SIZE), 0u, from_pile);
        var entry = Found(0u, 0u, vec2(0u));
        if from_pile {
            let others = workgroupUniformLoad(&handed_over);
            if local < unlogged {
                queue[params.capacity - 1u - (turn.logged + log_base + local)] = unlogged_entry;
            }
            let count = held();
            let is_little = count <= params.narrow && others < params.handover;
            let goes_on = follows(turn) && hop < params.hops && is_little;
            if count == 0u || !goes_on {
                break;
            }
            batch = min(count, SIZE);
            if local < batch {
                entry = fetch(turn, room[PILE_AT + count - 1u - local]);
            }
            workgroupBarrier();
            if local == 0u {
                atomicStore(&pile_len, count - batch);
            }
            hop += 1u;
        } else {
            hand_over(turn, PILE / 2u, local);
            if local < batch {
                entry = waiting(turn, next + local);
            }
            next += portion.stride;
        }
        let is_logged = from_pile && turn.part == SEARCH;
        expand(turn, entry, batch, is_logged, local);
        unlogged = select(0u, batch, is_logged);
        unlogged_entry = entry.entry;
    }
}

/// Whether what is found is to be followed in the same part.
fn follows(turn: Turn) -> bool {
    return turn.part == PEEL || turn.part == SEARCH || turn.part == STARVE;
}

/// What a workgroup goes through, by batches that begin so far apart.
struct Portion {
    next: u32,
    stop: u32,
    stride: u32,
}

/// An even share of the queue's entries; in RECOUNT, of all of a search and its log. Else batches of states that lie far
/// apart, as those that matter lie close together.
fn portion_of(turn: Turn) -> Portion {
    var all = vec2(turn.head, turn.end);
    if turn.part == RECOUNT {
        all = vec2(turn.start, turn.end + turn.logged);
    } else if !follows(turn) {
        return Portion(turn.group * SIZE, params.states, turn.groups * SIZE);
    }
    let share = (all.y - all.x + turn.groups - 1u) / turn.groups;
    let next = min(all.x + turn.group * share, all.y);
    return Portion(next, min(next + share, all.y), SIZE);
}

/// What lies at a place that a part goes through.
fn waiting(turn: Turn, index: u32) -> Found {
#ifdef CHOICES
    if turn.part == LEAVE {
        return leaving(index);
    }
    if turn.part == COUNT {
        return going_on(index);
    }
#endif
    if index < turn.end {
        return fetch(turn, queued(turn, index));
    }
    // Past the queue's end, of the log.
    return fetch(turn, queue[params.capacity - 1u - (index - turn.end)]);
}

/// The rows that an earlier iteration left to all workgroups.
fn explore_heavy(turn: Turn, local: u32) {
    let part = part_of_heavy(turn);
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

/// The part that left them.
fn part_of_heavy(turn: Turn) -> u32 {
    switch turn.part {
        case RELABEL: {
            return RECOUNT;
        }
        case FALL: {
            return COUNT;
        }
        default: {
            return turn.part;
        }
    }
}
