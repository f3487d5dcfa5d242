//! Diving: where few entries wait, time goes by how many answers of memory wait for one another.
//!
//! A workgroup follows its share of the queue hop by hop. The entries of a hop are in one half of the front (`frontier.wgsl`), what they
//! find goes into the other; all that an entry's edges are to be asked is asked at once, where its own row lies
//! included, so that a hop takes two answers: the edge's end, then what there is to know of it. With HEADED the ends of the
//! edges of short rows are beside that, so that it takes one; and as what is computed between answers takes as long as they do,
//! few entries have code of their own, without a loop. As many invocations as there are for an entry deal with its edges.
//!
//!     for 256 entries of the share:
//!         loop, until nothing is found, or too much, or for long enough:         dive
//!             for each entry of this half, for each of its edges: ask            plunge, creep
//!             the halves swap roles
//!         hand over the rest
//!
//! flags: CHOICES, HEADED
#import worklist/lib/explore
#import worklist/lib/frontier
#import worklist/lib/mec_rounds
#import worklist/lib/seeds

/// An invocation deals with so many edges of an entry alone; the rest of longer rows is shared out anew.
const ALONE_IN_HOP = 4u;

/// What a hop takes, as measured: that of up to THIN entries, and that of more. Workgroups are to end together, as the
/// next iteration waits for all.
const THIN_HOP = 2u;
const WIDE_HOP = 3u;

#ifdef HEADED
/// How many invocations deal with each of few entries.
const CREEPERS = SIZE / THIN;
#endif

/// Where to log the entries of either half.
var<workgroup> log_bases: array<u32, 2>;

/// Every so many of the queue's entries, and what is found on the way: those that lie side by side were found together, and lead to
/// about as much.
fn dive(turn: Turn, local: u32) {
    let share = (turn.end - turn.head + turn.groups - 1u - turn.group) / turn.groups;
    for (var next = 0u; next < share; next += SIZE) {
        let count = min(share - next, SIZE);
        if local < count {
            let entry = queued(turn, turn.head + turn.group + (next + local) * turn.groups);
            let name = atomicLoad(&regions[entry & STATE]) & NAME;
            keep(0u, local, entry, name, head(entry >> 31u, entry & STATE));
        }
        workgroupBarrier();
        dive_from(turn, count, local);
    }
}

/// Follows the first `entries` of the first half.
fn dive_from(turn: Turn, entries: u32, local: u32) {
    var count = entries;
    var half = 0u;
    var spent = 0u;
    let most = WIDE_HOP * select(params.hops, params.search_hops, turn.part == SEARCH);
    // The fewer workgroups there are, the sooner it pays to share with others.
    let most_alone = min(max(2u * turn.groups, 2u * THIN), params.narrow);
    loop {
        let is_logged = turn.part == SEARCH && spent != 0u;
        let mine = kept_entry(half, local);
        // By one that has an entry of its own only if there are many. It waits for the answers at the end.
        var others = 0u;
        var base = 0u;
        if local == SIZE - 1u {
            others = atomicLoad(&loop_next.words[0]);
            if is_logged {
                base = atomicAdd(&loop_next.words[1], count);
            }
            atomicStore(&front_len[half], 0u);
        }
        var alone = ALONE_IN_HOP << log_width(count);
#ifdef HEADED
        if count <= THIN {
            alone = CREEPERS;
            creep(turn, half, count, local);
        } else {
            plunge(turn, half, count, local);
        }
#else
        plunge(turn, half, count, local);
#endif
        if local == SIZE - 1u {
            log_bases[half] = base;
            if others >= params.handover {
                // RESULT UNUSED: the flag is only set, by one invocation.
                atomicOr(&front_len[1u - half], HANDED_OVER);
            }
        }
        let found_in_hop = workgroupUniformLoad(&front_len[1u - half]);
        if is_logged {
            if local < count {
                queue[params.capacity - 1u - (turn.logged + log_bases[half]) - local] = mine;
            }
        }
        var next = found_in_hop;
        if (found_in_hop & HAS_LONG) != 0u {
            next = plunge_long(turn, half, alone, local);
        }
        half = 1u - half;
        spent += select(WIDE_HOP, THIN_HOP, count <= THIN);
        let stays_alone = (found_in_hop & HANDED_OVER) == 0u;
        count = min(next & LEN_MASK, HALF);
        if count == 0u || count > most_alone || spent > most || !stays_alone {
            break;
        }
    }
    if local == 0u {
        if count != 0u {
            handed_over_at = hand_over_many(count);
        }
        atomicStore(&front_len[half], 0u);
    }
    let base = turn.end + workgroupUniformLoad(&handed_over_at);
    if local < count {
        queue[base + local] = kept_entry(half, local);
    }
    workgroupBarrier();
}

/// How many invocations there are for each of `count` entries, as a power of two: its logarithm.
fn log_width(count: u32) -> u32 {
    const LOG_SIZE = 8u;
    return LOG_SIZE - min(firstLeadingBit(2u * count - 1u), LOG_SIZE);
}

/// Follows the edges of the entries in a half; what they find goes into the other.
fn plunge(turn: Turn, half: u32, count: u32, local: u32) {
    let log = log_width(count);
    let width = 1u << log;
    for (var i = local >> log; i < count; i += SIZE >> log) {
        let own = kept(half, i);
        let state = own.entry & STATE;
        let degree = own.row.y - own.row.x;
        let first = local & (width - 1u);
        let leads = first == 0u && is_here(own.entry >> 31u, state);
        var word = 0u;
        if leads && turn.part == PEEL {
            word = peeled_word(state);
        }
        if degree > params.heavy_degree {
            if leads {
                leave_to_all(own.entry, own.name);
            }
        } else {
            let alone = min(degree, ALONE_IN_HOP << log);
            if turn.part == SEARCH || turn.part == PEEL {
                for (var j = first; j < alone; j += 2u * width) {
                    ask_two(turn, 1u - half, own, vec2(j, j + width), vec2(true, j + width < alone));
                }
            } else {
                for (var j = first; j < alone; j += width) {
                    ask(turn, 1u - half, own, j, head_edge(own.entry >> 31u, state, own.row.x, j));
                }
            }
            if leads && degree > alone {
                leave_long(half, i);
            }
        }
        if leads && turn.part == PEEL {
            atomicStore(&regions[state], word);
        }
    }
}

/// The rest of the rows that were too long, shared out anew. Returns what `front_len` has of the other half.
fn plunge_long(turn: Turn, half: u32, alone: u32, local: u32) -> u32 {
    let rows = workgroupUniformLoad(&long_rows_len);
    let log = log_width(rows);
    for (var k = local >> log; k < rows; k += SIZE >> log) {
        let own = kept(half, room[LONG_ROWS_AT + k]);
        for (var j = alone + (local & ((1u << log) - 1u)); j < own.row.y - own.row.x; j += 1u << log) {
            ask(turn, 1u - half, own, j, edge(own.entry >> 31u, own.row.x + j));
        }
    }
    workgroupBarrier();
    if local == 0u {
        atomicStore(&long_rows_len, 0u);
    }
    return workgroupUniformLoad(&front_len[1u - half]);
}

/// What `ask` does in SEARCH and PEEL, for two edges of an entry at once, or one.
fn ask_two(turn: Turn, into: u32, own: Found, j: vec2<u32>, is_there: vec2<bool>) {
    touches(1u + u32(is_there.y));
    let side = own.entry >> 31u;
    let state = own.entry & STATE;
    let second = select(j.x, j.y, is_there.y);
    let t = vec2(head_edge(side, state, own.row.x, j.x), head_edge(side, state, own.row.x, second));
    let head_x = head(side, t.x);
    let head_y = head(side, t.y);
    let is_ours = vec2(atomicLoad(&regions[t.x]), atomicLoad(&regions[t.y])) == vec2(own.name);
    let may = is_there & vec2(is_present(turn, side, own.row.x + j.x), is_present(turn, side, own.row.x + second));
    var is_next = vec2(false);
    if turn.part == SEARCH {
        is_next = reach_two(turn, side, t, may, is_ours);
    } else {
        is_next = lose_two(turn, side, t, may & (is_ours | vec2(turn.is_whole)));
    }
    if is_next.x {
        found_next(turn, into, t.x | (own.entry & BACKWARD), own.name, head_x);
    }
    if is_next.y {
        found_next(turn, into, t.y | (own.entry & BACKWARD), own.name, head_y);
    }
}

/// SEARCH: marks two states. Which of them are of the region, and nobody had reached.
fn reach_two(turn: Turn, side: u32, t: vec2<u32>, may: vec2<bool>, is_ours: vec2<bool>) -> vec2<bool> {
    let bits = vec2(1u) << (2u * (t % vec2(16u)) + vec2(side));
    var asked = may;
    if asks_first(turn) {
        let words = vec2(reached_word(t.x), reached_word(t.y));
        asked &= is_ours & (words & bits) == vec2(0u);
    }
    return is_ours & vec2<bool>(asked.x && reach(t.x, bits.x), asked.y && reach(t.y, bits.y));
}

/// SEARCH: whether it has to be known of a state where it is, before it is marked. In the first round there is one region: all
/// others that are reached are in components, where nobody looks who reached them.
fn asks_first(turn: Turn) -> bool {
    return turn.round != 1u || turn.is_thinned;
}

/// PEEL: two states lose an edge. Which of them fall.
fn lose_two(turn: Turn, side: u32, t: vec2<u32>, may: vec2<bool>) -> vec2<bool> {
    var left = vec2(0u);
    if may.x {
        left.x = atomicSub(&degrees[2u * t.x + side], 1u);
    }
    if may.y {
        left.y = atomicSub(&degrees[2u * t.y + side], 1u);
    }
    if side == 1u && may.x {
        touch(t.x);
    }
    if side == 1u && may.y {
        touch(t.y);
    }
    // One after the other only where both fall.
    return vec2<bool>(left.x == 1u && may_enter(turn, t.x), left.y == 1u && may_enter(turn, t.y));
}

/// PEEL: a state has no edge left on one side. Whether this invocation is to enter it.
///
/// Before the first split a state may be entered twice, once for either side, and nobody waits to know: along a path
/// that would be one more answer of memory for each state. Nothing depends on it. There is one region, so that no name is
/// asked for, and each entry takes every edge of its side off once; a state that has lost its edges on both sides has
/// only neighbours that fell before it, whose counts nobody looks at.
fn may_enter(turn: Turn, state: u32) -> bool {
    if turn.is_whole {
        // RESULT UNUSED: before the first split nothing depends on who was first.
        atomicOr(&regions[state], FALLEN);
        return true;
    }
    return falls_now(state);
}

#ifdef HEADED
/// What `plunge` does for few entries, whose first edges are at hand.
fn creep(turn: Turn, half: u32, count: u32, local: u32) {
    let i = local / CREEPERS;
    let j = local % CREEPERS;
    if i >= count {
        return;
    }
    let own = kept(half, i);
    let state = own.entry & STATE;
    let degree = own.row.y - own.row.x;
    if degree > params.heavy_degree {
        if j == 0u {
            leave_to_all(own.entry, own.name);
        }
    } else if j < min(degree, INLINE) {
        ask(turn, 1u - half, own, j, room[edge_place(half, i, j)]);
    } else if j < degree {
        ask(turn, 1u - half, own, j, edge(own.entry >> 31u, own.row.x + j));
    }
    if j == 0u {
        if degree > CREEPERS && degree <= params.heavy_degree {
            leave_long(half, i);
        }
        if turn.part == PEEL {
            atomicStore(&regions[state], peeled_word(state));
        }
    }
}
#endif

/// What `visit` does, all at once, for the `j`th edge of an entry, to `t`.
fn ask(turn: Turn, into: u32, own: Found, j: u32, t: u32) {
    touches(1u);
    let side = own.entry >> 31u;
    let along = side;
    let position = own.row.x + j;
    // Here, and not where it is needed first: compilers move it no further up.
    let head = head(side, t);
    let next = t | (own.entry & BACKWARD);
    switch turn.part {
        case PEEL: {
            if !turn.is_whole && (atomicLoad(&regions[t]) != own.name || !is_present(turn, along, position)) {
                return;
            }
            if side == 1u {
                touch(t);
            }
            if atomicSub(&degrees[2u * t + side], 1u) == 1u && may_enter(turn, t) {
                found_next(turn, into, next, own.name, head);
            }
        }
#ifdef CHOICES
        case STARVE: {
            if starve(position, t) {
                found_next(turn, into, next, own.name, head);
            }
        }
#endif
        default: {
            let bit = 1u << (reached_shift(t) + side);
            let region = atomicLoad(&regions[t]);
            if asks_first(turn) {
                let is_reached = (atomicLoad(&reached[t / 16u]) & bit) != 0u;
                if region != own.name || is_reached || !is_present(turn, along, position) {
                    return;
                }
            }
            if (atomicOr(&reached[t / 16u], bit) & bit) == 0u && region == own.name {
                found_next(turn, into, next, own.name, head);
            }
        }
    }
}
