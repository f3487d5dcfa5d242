//! The queue of the fast engine, and the pile of what a workgroup found and has not handed over yet.
//!
//! The queue grows at `turn.end`; entries are handed over many at a time. During searches the entries that a
//! workgroup explored without handing them over are logged at the queue's far end, so that the queue knows every
//! state that was reached. At its beginning are the names of the regions that have pivots (`seeds.wgsl`).
//!
//! The two ends never meet, as no state has more than three words: one that one search alone reaches has an entry, and two if it
//! falls on both sides at once; one that both reach has two, and a region's name if it is the pivot.
#import worklist/lib/edge_counts
#import worklist/lib/edges
#import worklist/lib/scratch
#import worklist/lib/control
#import worklist/lib/words

/// How many entries a pile holds. What does not fit is handed over one by one.
const PILE = 4u * SIZE;

//@ disjoint queue: an iteration reads what earlier ones wrote, and writes every other place once
@group(0) @binding(8) var<storage, read_write> queue: array<u32>;

/// How much the pile holds. May pass that, by what did not fit.
var<workgroup> pile_len: atomic<u32>;
var<workgroup> handed_over_at: u32;

/// Keeps an entry to be explored: in the pile, if its edges are bound.
fn found(turn: Turn, entry: u32) {
    if is_bound(entry >> 31u, entry & STATE) {
        let at = atomicAdd(&pile_len, 1u);
        if at < PILE {
            room[PILE_AT + at] = entry;
            return;
        }
    }
    hand_over_one(turn, entry);
}

/// Keeps those of four entries that are new.
fn found_four(turn: Turn, entries: vec4<u32>, is_new: vec4<bool>) {
    if is_new.x {
        found(turn, entries.x);
    }
    if is_new.y {
        found(turn, entries.y);
    }
    if is_new.z {
        found(turn, entries.z);
    }
    if is_new.w {
        found(turn, entries.w);
    }
}

fn hand_over_one(turn: Turn, entry: u32) {
    queue[turn.end + hand_over_many(1u)] = entry;
}

/// Makes room in the queue for entries. Where it begins.
fn hand_over_many(count: u32) -> u32 {
    return atomicAdd(&loop_next.words[0], count);
}

/// How many entries the pile holds, the same for the whole workgroup. A barrier.
fn held() -> u32 {
    return min(workgroupUniformLoad(&pile_len), PILE);
}

/// Hands over the pile if it holds more than `most` entries.
fn hand_over(turn: Turn, most: u32, local: u32) {
    let count = held();
    if count <= most {
        return;
    }
    if local == 0u {
        handed_over_at = hand_over_many(count);
        atomicStore(&pile_len, 0u);
    }
    let base = turn.end + workgroupUniformLoad(&handed_over_at);
    for (var i = local; i < count; i += SIZE) {
        queue[base + i] = room[PILE_AT + i];
    }
    workgroupBarrier();
}

/// All edges of a state of region 0 count. It falls if none reaches it, or none leaves. Returns its degrees.
fn count_edges(turn: Turn, state: u32) -> vec2<u32> {
    let leaving = offsets[state + 1u] - offsets[state];
    let reaching = back_offsets[state + 1u] - back_offsets[state];
    atomicStore(&degrees[2u * state], reaching);
    atomicStore(&degrees[2u * state + 1u], leaving);
    if (params.stages & STAGE_PEEL) != 0u {
        fall_without_edges(turn, state, 0u, reaching, leaving);
    }
    return vec2(reaching, leaving);
}

/// A live state of region `name` falls if no edge reaches it, or none leaves.
fn fall_without_edges(turn: Turn, state: u32, name: u32, reaching: u32, leaving: u32) {
    if reaching == 0u || leaving == 0u {
        atomicStore(&regions[state], name | FALLEN);
        found(turn, state | select(BACKWARD, 0u, reaching == 0u));
    }
}

/// A state loses an edge that reaches it (side 0) or leaves it (side 1). With the last one it falls: it is a component
/// of its own, and its other edges are to be removed. Whether this invocation is to enter it in the queue.
fn lose_edge(state: u32, side: u32) -> bool {
    return atomicSub(&degrees[2u * state + side], 1u) == 1u && falls_now(state);
}

/// A state has no edge left on one side. It may lose the last one of the other side at the same moment, through
/// somebody else: who finds it live here enters it in the queue, and nobody else does. A second entry would read the
/// region's name (`fetch`) where the first has written a component's, and take edges off again that were cut before.
fn falls_now(state: u32) -> bool {
    return is_live(atomicOr(&regions[state], FALLEN));
}
