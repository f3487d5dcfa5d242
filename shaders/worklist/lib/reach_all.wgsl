//! Flooding: what the pivot reaches, forward and backward at once, while the graph is one region all of whose edges count.
//!
//! It does what `explore.wgsl` does for SEARCH, and no more: most of a wide search's time is waiting for memory, and the less a
//! kernel keeps to itself, the more workgroups wait at a time.
#import worklist/lib/queue
#import worklist/lib/expansion

/// The entries of the queue, shared out evenly, and what is found on the way.
fn flood(turn: Turn, local: u32) {
    let share = (turn.end - turn.head + turn.groups - 1u) / turn.groups;
    var next = min(turn.head + turn.group * share, turn.end);
    let stop = min(next + share, turn.end);
    var hop = 0u;
    loop {
        var batch = min(stop - next, SIZE);
        var entry = 0u;
        if batch != 0u {
            hand_over(turn, PILE / 2u, local);
            if local < batch {
                entry = queue[next + local];
            }
            next += batch;
        } else {
            let others = workgroupUniformLoad(&handed_over);
            let count = held();
            if count == 0u || count > params.narrow || others >= params.handover || hop >= params.hops {
                break;
            }
            batch = min(count, SIZE);
            if local < batch {
                entry = room[PILE_AT + count - 1u - local];
            }
            workgroupBarrier();
            if local == 0u {
                atomicStore(&pile_len, count - batch);
                atomicAdd(&loop_next.words[1], batch);
            }
            hop += 1u;
        }
        spread(turn, entry, batch, local);
    }
}

/// Follows the edges of a batch of entries, one of each of the first `batch` invocations. Every call is to be followed by a
/// barrier.
fn spread(turn: Turn, entry: u32, batch: u32, local: u32) {
    var own = vec2(0u);
    if local < batch {
        own = take_slots(entry, local);
    }
    let edges = workgroupUniformLoad(&slots_taken);
    for (var window = 0u; window < edges; window += SLOTS) {
        deal_slots(own, window, local);
        if window + local < edges {
            reach_four(turn, window, edges, local);
        }
    }
    // Their next users come after a barrier.
    if local == 0u {
        atomicStore(&slots_taken, 0u);
        handed_over = atomicLoad(&loop_next.words[0]);
    }
}

/// Takes slots for the row of an entry, or leaves it to all workgroups. Returns the slots.
fn take_slots(entry: u32, local: u32) -> vec2<u32> {
    let row = row(entry >> 31u, entry & STATE);
    let degree = row.y - row.x;
    if degree == 0u {
        return vec2(0u);
    }
    if degree > params.heavy_degree {
        leave_to_all(entry, 0u);
        return vec2(0u);
    }
    let first = atomicAdd(&slots_taken, degree);
    set_owner(local, Owner(row.x - first, entry, 0u));
    return vec2(first, first + degree);
}

/// An invocation's edges of a window, what they are to be asked asked at once.
fn reach_four(turn: Turn, window: u32, edges: u32, local: u32) {
    // Past the end, the last one again.
    let last = vec4(min(edges - window, SLOTS) - 1u);
    let wanted = vec4(local) + vec4(0u, SIZE, 2u * SIZE, 3u * SIZE);
    let at = min(wanted, last);
    touches(dot(vec4(1u), vec4<u32>(wanted <= last)));
    let a = owner_of(at.x);
    let b = owner_of(at.y);
    let c = owner_of(at.z);
    let d = owner_of(at.w);
    let sides = vec4(a.item, b.item, c.item, d.item) & vec4(BACKWARD);
    let positions = vec4(a.base, b.base, c.base, d.base) + vec4(window) + at;
    let side = sides >> vec4(31u);
    let t = vec4(edge(side.x, positions.x), edge(side.y, positions.y), edge(side.z, positions.z), edge(side.w, positions.w));
    let bits = vec4(1u) << (2u * (t % vec4(16u)) + side);
    let words = vec4(reached_word(t.x), reached_word(t.y), reached_word(t.z), reached_word(t.w));
    let is_new = (words & bits) == vec4(0u) & wanted <= last;
    let is_first = vec4<bool>(
        is_new.x && reach(t.x, bits.x),
        is_new.y && reach(t.y, bits.y),
        is_new.z && reach(t.z, bits.z),
        is_new.w && reach(t.w, bits.w),
    );
    found_four(turn, t | sides, is_first);
}

/// The rows that an earlier iteration left to all workgroups.
fn flood_heavy(turn: Turn, local: u32) {
    for (var i = 0u; i < turn.heavy; i += 1u) {
        let entry = left_to_all(i).x;
        let edges = row_together(entry >> 31u, entry & STATE, local);
        for (var base = edges.x + turn.group * SLOTS; base < edges.y; base += turn.groups * SLOTS) {
            for (var j = base + local; j < min(edges.y, base + SLOTS); j += SIZE) {
                touches(1u);
                let t = edge(entry >> 31u, j);
                let bit = 1u << (reached_shift(t) + (entry >> 31u));
                if (reached_word(t) & bit) == 0u && reach(t, bit) {
                    found(turn, t | (entry & BACKWARD));
                }
            }
            hand_over(turn, PILE / 2u, local);
        }
    }
}
