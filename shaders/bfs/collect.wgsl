//! The second half of a dense iteration of a breadth-first search: sets the distances of the states
//! that were marked, and puts their rows into the queue, as the next frontier.
//!
//! A workgroup takes a block of states at a time, or up to four if there are more blocks than
//! workgroups. Only it writes to the words of these states, and to their distances.
//!
//! checks: debug
//!
//! Reads `offsets`, and `reached` as `bfs/mark` left it. Owns `seen`, `fresh`, `distances`. Appends
//! to `queue`, and writes every place once.
#import bfs/lib/dense
#import lib/grid

@group(0) @binding(0) var<storage, read> offsets: array<u32>;
@group(0) @binding(1) var<storage, read> reached: array<u32>;
@group(0) @binding(2) var<storage, read_write> seen: array<u32>;
@group(0) @binding(3) var<storage, read_write> fresh: array<u32>;
//@ disjoint distances: a state belongs to one workgroup, and has one place in its block
@group(0) @binding(5) var<storage, read_write> distances: array<u32>;
//@ disjoint queue: places are reserved by atomic additions, in both memories
@group(0) @binding(6) var<storage, read_write> queue: array<vec2<u32>>;
@group(0) @binding(4) var<uniform> params: LevelParams;

/// The states of a block that were marked; and the place of the first one of each word, among those
/// of the block.
//@ within marked: a place in a block, over 32
var<workgroup> marked: array<u32, SIZE>;
//@ within places: a place in a block, over 32
var<workgroup> places: array<u32, SIZE>;
/// How many states of a block were marked.
var<workgroup> marked_len: atomic<u32>;
/// Where their rows lie in the queue.
var<workgroup> rows_at: u32;
/// The edges of all states that the workgroup has collected.
var<workgroup> all_edges: atomic<u32>;

@compute @workgroup_size(SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) local: u32) {
    let frontier = load_frontier();
    if loop_now.x == 0u {
        return;
    }
    let is_first = grid_index(grid, local, SIZE) == 0u;
    if ends_dense(frontier) {
        if is_first {
            hand_over(frontier);
        }
        return;
    }
    let groups = grid_stride(grid, 1u);
    let share = BLOCK_WORDS * clamp(blocks_of(params.states) / groups, 1u, SIZE / BLOCK_WORDS);
    let words = words_of(params.states);
    var all = Found(0u, 0u);
    for (var at = grid_index(grid, 0u, 1u) * share; at < words; at += groups * share) {
        let found = collect(frontier, at, min(share, words - at), local);
        all = Found(all.states + found.states, all.edges + found.edges);
    }
    count_edges(all.edges, local);
    if local == 0u && all.states != 0u {
        loop_again(params.most_groups);
    }
    if is_first {
        commit(frontier, frontier.level + 1u, frontier.explored + frontier.edges);
        let levels = loop_now.words[CONTROL_SPARSE_LEVELS];
        let next = select(0u, levels + 1u, has_few_edges(frontier));
        atomicStore(&loop_next.words[CONTROL_SPARSE_LEVELS], next);
        atomicStore(&loop_next.words[CONTROL_ROWS_BEFORE], frontier.end - frontier.head);
    }
}

/// States that were collected.
struct Found {
    /// How many the workgroup has found.
    states: u32,
    /// The edges of those of the invocation.
    edges: u32,
}

/// Collects the states of so many words. A barrier.
fn collect(frontier: Frontier, first_word: u32, words: u32, local: u32) -> Found {
    let word = first_word + local;
    var bits = 0u;
    if local < words {
        let now = reached[place_of(word)];
        bits = now & ~seen[word];
        seen[word] = now;
        fresh[word] = bits;
    }
    marked[local] = bits;
    if bits != 0u {
        places[local] = atomicAdd(&marked_len, countOneBits(bits));
    }
    let states = workgroupUniformLoad(&marked_len);
    if states == 0u {
        return Found(0u, 0u);
    }
    if local == 0u {
        atomicStore(&marked_len, 0u);
        rows_at = reserve(frontier, states);
    }
    let first_row = workgroupUniformLoad(&rows_at);
    let four = SIZE * vec4(0u, 1u, 2u, 3u);
    var edges = 0u;
    for (var at = local; at < 32u * words; at += 4u * SIZE) {
        edges += collect_four(frontier, first_word, vec4(at) + four, first_row);
    }
    workgroupBarrier();
    return Found(states, edges);
}

/// Gives those of four states that were marked their distance, and puts their rows into the queue,
/// from `first_row` on. Returns their edges. It asks for all rows before it needs one of them.
fn collect_four(frontier: Frontier, first_word: u32, at: vec4<u32>, first_row: u32) -> u32 {
    let which = vec4(is_marked(at.x), is_marked(at.y), is_marked(at.z), is_marked(at.w));
    if !any(which) {
        return 0u;
    }
    let states = select(vec4(0u), vec4(32u * first_word) + at, which);
    let x = row_of(states.x);
    let y = row_of(states.y);
    let z = row_of(states.z);
    let w = row_of(states.w);
    var edges = 0u;
    if which.x {
        edges += collect_state(frontier, states.x, x, first_row + place_in_block(at.x));
    }
    if which.y {
        edges += collect_state(frontier, states.y, y, first_row + place_in_block(at.y));
    }
    if which.z {
        edges += collect_state(frontier, states.z, z, first_row + place_in_block(at.z));
    }
    if which.w {
        edges += collect_state(frontier, states.w, w, first_row + place_in_block(at.w));
    }
    return edges;
}

/// Whether a state was marked, by its place among those that the workgroup looks at.
fn is_marked(at: u32) -> bool {
    return at < 32u * SIZE && (marked[at >> 5u] & bit_of(at)) != 0u;
}

/// The place of the row of a state that was marked, among those of all such states.
fn place_in_block(at: u32) -> u32 {
    return places[at >> 5u] + countOneBits(marked[at >> 5u] & (bit_of(at) - 1u));
}

fn row_of(state: u32) -> vec2<u32> {
    let start = offsets[state];
    return vec2(start, max(start, offsets[state + 1u]));
}

/// Gives a state its distance, and puts its row into a place of the queue. Returns its edges.
fn collect_state(frontier: Frontier, state: u32, row: vec2<u32>, place: u32) -> u32 {
    distances[state] = frontier.level + 1u;
    queue[place] = vec2(row.x, min(row.y, row.x + PIECE));
    if row.y - row.x > PIECE {
        queue_pieces(frontier, row.x + PIECE, row.y);
    }
    return row.y - row.x;
}

/// Puts the rest of a long row into the queue, in pieces.
fn queue_pieces(frontier: Frontier, start: u32, end: u32) {
    var place = reserve(frontier, (end - start + PIECE - 1u) / PIECE);
    for (var piece = start; piece < end; piece += PIECE) {
        queue[place] = vec2(piece, piece + min(PIECE, end - piece));
        place += 1u;
    }
}

/// Reserves places in the queue for so many rows. Returns the first place.
fn reserve(frontier: Frontier, rows: u32) -> u32 {
    return frontier.end + atomicAdd(&loop_next.words[CONTROL_ADDED], rows);
}

/// Adds the edges of the states that the invocations of a workgroup have collected to those of the
/// next frontier. A barrier.
fn count_edges(edges: u32, local: u32) {
    if edges != 0u {
        atomicAdd(&all_edges, edges);
    }
    let all = workgroupUniformLoad(&all_edges);
    if local == 0u && all != 0u {
        atomicAdd(&loop_next.words[CONTROL_EDGES], all);
    }
}
