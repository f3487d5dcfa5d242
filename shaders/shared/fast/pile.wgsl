//! The queue of the fast engine, and the pile of what a workgroup found and has not handed over yet.
//!
//! The queue grows at `turn.end`; entries are handed over many at a time. During searches the entries that a
//! workgroup explored without handing them over are logged at the queue's far end, so that the queue knows every
//! state that was reached. The two ends never meet: a state that one search alone reaches has an entry, and two if it
//! falls on both sides at once; one that both reach has two.
#import fast/edges
#import fast/turn
#import fast/words

const SIZE = 256u;
/// How many entries a pile holds. What does not fit is handed over one by one.
const PILE = 1024u;

@group(0) @binding(8) var<storage, read_write> queue: array<u32>;

/// An entry, and what its finder knew or fetched ahead: then nobody waits for that when it is explored.
struct Found {
    entry: u32,
    /// Its state's region.
    name: u32,
    /// Where the edges to be followed lie.
    row: vec2<u32>,
}

var<workgroup> pile: array<u32, PILE>;
var<workgroup> pile_names: array<u32, PILE>;
var<workgroup> pile_rows: array<vec2<u32>, PILE>;
/// May pass PILE, by what did not fit.
var<workgroup> pile_len: atomic<u32>;
var<workgroup> pile_base: u32;

/// The row of a state that may be found, if few states wait: then it will most likely be explored in this very
/// iteration, and time goes by what waits for what.
fn row_ahead(turn: Turn, direction: u32, state: u32) -> vec2<u32> {
    if turn.is_narrow {
        return row(direction, state);
    }
    return vec2(0u);
}

/// Keeps an entry to be explored: in the pile, if its edges are bound.
fn found(turn: Turn, what: Found) {
    if is_bound(what.entry >> 31u, what.entry & STATE) {
        let at = atomicAdd(&pile_len, 1u);
        if at < PILE {
            pile[at] = what.entry;
            pile_names[at] = what.name;
            pile_rows[at] = what.row;
            return;
        }
    }
    let at = atomicAdd(&loop_next.words[0], 1u);
    queue[turn.end + at] = what.entry;
    loop_again(groups_for(at + 1u));
}

/// Keeps an entry that only a later iteration may explore.
fn found_for_later(turn: Turn, entry: u32) {
    found(turn, Found(entry, 0u, vec2(0u)));
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
        pile_base = atomicAdd(&loop_next.words[0], count);
        loop_again(groups_for(pile_base + count));
        atomicStore(&pile_len, 0u);
    }
    let base = turn.end + workgroupUniformLoad(&pile_base);
    for (var i = local; i < count; i += SIZE) {
        queue[base + i] = pile[i];
    }
    workgroupBarrier();
}

/// All edges of a state of region 0 count. It falls if none reaches it, or none leaves.
fn count_edges(turn: Turn, state: u32) {
    let leaving = offsets[state + 1u] - offsets[state];
    let reaching = back_offsets[state + 1u] - back_offsets[state];
    atomicStore(&degrees[2u * state], reaching);
    atomicStore(&degrees[2u * state + 1u], leaving);
    if (params.stages & STAGE_PEEL) != 0u {
        fall_without_edges(turn, state, 0u, reaching, leaving);
    }
}

/// A live state of region `name` falls if no edge reaches it, or none leaves.
fn fall_without_edges(turn: Turn, state: u32, name: u32, reaching: u32, leaving: u32) {
    if reaching == 0u || leaving == 0u {
        atomicStore(&regions[state], name | FALLEN);
        found_for_later(turn, state | select(BACKWARD, 0u, reaching == 0u));
    }
}

/// A state of region `name` loses an edge that reaches it (side 0) or leaves it (side 1). With the last one
/// it falls: it is a component of its own, and its other edges are to be removed. It may fall twice, on either side, if
/// both come about at the same time: that costs time, but an edge is taken once off either count.
fn lose_edge(turn: Turn, state: u32, side: u32, name: u32) {
    // All asked at once, if few states wait: then nobody waits to hear who was first.
    let ahead = row_ahead(turn, side, state);
    let hurries = turn.part == PEEL && turn.is_narrow;
    var word = 0u;
    if hurries {
        word = atomicLoad(&regions[state]);
    }
    if atomicSub(&degrees[2u * state + side], 1u) == 1u {
        let before = atomicOr(&regions[state], FALLEN);
        if !hurries {
            word = before;
        }
        if is_live(word) {
            found(turn, Found(state | (side << 31u), name, ahead));
        }
    }
}
