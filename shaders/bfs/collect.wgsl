//! The second half of a dense iteration of a breadth-first search: sets the distances of the states
//! that `bfs/mark` has marked, and puts their rows into the queue, as the next frontier
//! (`docs/bfs.md`, "Dense frontiers").
//! One workgroup per block of states. Only it writes to the words of this block, and to the
//! distances of its states.
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
//@ disjoint queue: atomic additions reserve places, in workgroup memory and in storage
@group(0) @binding(6) var<storage, read_write> queue: array<vec2<u32>>;
@group(0) @binding(4) var<uniform> params: LevelParams;

/// The states of a block that were marked; and the place of the first one of each word, among those
/// of the block.
//@ within marked: a place in a block, divided by 32
var<workgroup> marked: array<u32, BLOCK_WORDS>;
//@ within places: a place in a block, divided by 32
var<workgroup> places: array<u32, BLOCK_WORDS>;
/// The number of states of a block that were marked.
var<workgroup> marked_len: atomic<u32>;
/// The place of their rows in the queue.
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
    let blocks = blocks_of(params.states);
    var edges = 0u;
    for (var block = grid_index(grid, 0u, 1u); block < blocks; block += grid_stride(grid, 1u)) {
        edges += collect(frontier, block, local);
    }
    count_edges(edges, local);
    if is_first {
        commit(frontier, frontier.level + 1u, frontier.explored + frontier.edges);
        let levels = loop_now.words[CONTROL_SPARSE_LEVELS];
        let next = select(0u, levels + 1u, has_few_edges(frontier));
        atomicStore(&loop_next.words[CONTROL_SPARSE_LEVELS], next);
        atomicStore(&loop_next.words[CONTROL_ROWS_BEFORE], frontier.end - frontier.head);
    }
}

/// Collects the states of a block. Returns how many edges the invocation's states have. A barrier.
fn collect(frontier: Frontier, block: u32, local: u32) -> u32 {
    let word = block * BLOCK_WORDS + local;
    if local < BLOCK_WORDS && word < words_of(params.states) {
        let now = reached[place_of(word)];
        let bits = now & ~seen[word];
        seen[word] = now;
        fresh[word] = bits;
        marked[local] = bits;
        places[local] = atomicAdd(&marked_len, countOneBits(bits));
    }
    let states = workgroupUniformLoad(&marked_len);
    if states == 0u {
        return 0u;
    }
    if local == 0u {
        atomicStore(&marked_len, 0u);
        rows_at = reserve(frontier, states);
    }
    let first_row = workgroupUniformLoad(&rows_at);
    let first = block * BLOCK;
    var edges = 0u;
    for (var at = local; at < min(BLOCK, params.states - first); at += SIZE) {
        let bits = marked[at >> 5u];
        let bit = bit_of(at);
        if (bits & bit) != 0u {
            let place = first_row + places[at >> 5u] + countOneBits(bits & (bit - 1u));
            edges += collect_state(frontier, first + at, place);
        }
    }
    workgroupBarrier();
    return edges;
}

/// Gives a state its distance, and puts its row into a place of the queue. Returns its edges.
fn collect_state(frontier: Frontier, state: u32, place: u32) -> u32 {
    distances[state] = frontier.level + 1u;
    let start = offsets[state];
    let end = max(start, offsets[state + 1u]);
    queue[place] = vec2(start, min(end, start + PIECE));
    if end - start > PIECE {
        queue_pieces(frontier, start + PIECE, end);
    }
    return end - start;
}

/// Puts the rest of a long row into the queue, in pieces.
fn queue_pieces(frontier: Frontier, start: u32, end: u32) {
    var place = reserve(frontier, (end - start + PIECE - 1u) / PIECE);
    for (var piece = start; piece < end; piece += PIECE) {
        queue[place] = vec2(piece, piece + min(PIECE, end - piece));
        place += 1u;
    }
}

/// Reserves places in the queue for this many rows. Returns the first place.
fn reserve(frontier: Frontier, rows: u32) -> u32 {
    loop_again(params.most_groups);
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
