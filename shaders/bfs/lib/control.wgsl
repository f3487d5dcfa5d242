//! The control record of the search's loops: the words that an iteration stores for the next one,
//! and the decisions that follow from them.
//!
//! An iteration explores a frontier, that is, the states of one level, whose rows of edges are in
//! the queue. There are two kinds of iterations, which pass the record to each other. An iteration
//! that finds a frontier for the other kind leaves it unchanged. A loop has iterations of one kind,
//! or some sparse ones and then dense ones. If no iteration of the right kind can follow, the loop
//! ends, and the host begins another one.
//!
//!     sparse   claims the states of the next level, or of the next levels, one by one: `bfs/level`
//!     dense    for frontiers with many edges, marks the states of the next level as bits
//!              (`bfs/mark`), and collects them, in the order of their numbers (`bfs/collect`)
//!
//! All workgroups make the same choice, because they read the same record. A choice of a sparse
//! iteration does not change when the counters grow, so the workgroup that is the last to add to a
//! counter knows how many workgroups the next iteration needs.
#import lib/loop

/// The number of invocations of a workgroup.
const SIZE = 256u;

/// In `distances`: the state was not reached.
const UNREACHED = 0xffffffffu;

/// Counter: the rows that the previous iteration has added to the queue.
const CONTROL_ADDED = 0u;
/// Counter: the edges of these rows.
const CONTROL_EDGES = 1u;
/// The place in the queue where the rows of the frontier begin.
const CONTROL_HEAD = 2u;
/// The distance of the states whose rows are to be explored.
const CONTROL_LEVEL = 3u;
/// The edges that earlier iterations have explored.
const CONTROL_EXPLORED = 4u;
/// The number of successive levels with few edges that dense iterations have explored; after a
/// sparse iteration `SPARSE_LEVELS`, so that a dense one leaves what is not dense.
const CONTROL_SPARSE_LEVELS = 5u;
/// Rows of the frontier that earlier iterations of the same batch have added (`bfs/lib/batch`).
const CONTROL_CARRIED = 6u;
/// Counter: early rows, that is, rows of states that are nearer than the frontier, and that an
/// iteration of a batch has left to the next one.
const CONTROL_EARLY = 7u;
/// The place in `early` where these rows begin.
const CONTROL_EARLY_HEAD = 8u;
/// The number of levels that the previous iteration has explored at a time; 0 means 1.
const CONTROL_SPAN = 9u;
/// The number of rows of the previous frontier.
const CONTROL_ROWS_BEFORE = 10u;
/// Counter: claims of states that had been claimed for a larger distance.
const CONTROL_LOWERED = 11u;
/// Set if an early row was lost, for lack of room: then the host begins again.
const CONTROL_LOST = 12u;

/// The most edges of a row in the queue: a longer one is cut, so that different workgroups may
/// explore it.
const PIECE = 2048u;
/// The largest number of rows, and of edges, of a narrow frontier.
const NARROW_ROWS = 512u;
const NARROW_EDGES = 2048u;
/// The number of wider levels after which a single workgroup stops, because batches may be faster.
const WIDE_ROWS = 64u;
const WIDE_LEVELS = 8u;
/// The smallest number of rows that a workgroup takes at a time, unless they have many edges.
const SHARE = 16u;
const SHARE_EDGES = 1024u;
/// Dense iterations end before the next one after this many levels with few edges.
const SPARSE_LEVELS = 4u;

struct LevelParams {
    states: u32,
    edges: u32,
    /// The largest number of workgroups.
    most_groups: u32,
    /// The number of levels that a single workgroup explores in an iteration.
    levels: u32,
    /// A frontier with more edges is dense.
    dense_edges: u32,
    /// The number of workgroups of dense iterations in the same loop; 0 if the loop has none.
    dense_groups: u32,
    /// The largest number of levels of a batch; 0 or 1 if there are no batches.
    most_span: u32,
    /// The largest number of early rows.
    early_rows: u32,
}

/// The frontier that an iteration explores.
struct Frontier {
    /// The rows are at `head` to `end` in the queue.
    head: u32,
    end: u32,
    /// The distance of their states.
    level: u32,
    /// The number of edges of these rows, and of all rows before them.
    edges: u32,
    explored: u32,
    /// Early rows are at `early_head` to `early_end`. They are explored first, if there are any.
    early_head: u32,
    early_end: u32,
}

/// Returns the frontier that the previous iteration has left.
fn load_frontier() -> Frontier {
    let head = loop_now.words[CONTROL_HEAD];
    let early = loop_now.words[CONTROL_EARLY];
    // Without early rows, the next ones go to the front.
    let early_head = select(0u, loop_now.words[CONTROL_EARLY_HEAD], early != 0u);
    return Frontier(
        head,
        head + loop_now.words[CONTROL_CARRIED] + loop_now.words[CONTROL_ADDED],
        loop_now.words[CONTROL_LEVEL],
        loop_now.words[CONTROL_EDGES],
        loop_now.words[CONTROL_EXPLORED],
        early_head,
        early_head + early,
    );
}

/// Returns whether a sparse iteration leaves a frontier with this many edges to a dense one.
fn is_dense(edges: u32) -> bool {
    return edges > params.dense_edges;
}

fn is_narrow(rows: u32, edges: u32) -> bool {
    return rows <= NARROW_ROWS && edges <= NARROW_EDGES;
}

/// The fewest rows that a workgroup takes at a time: SHARE, or so many that together they have
/// SHARE_EDGES or more, on average.
fn share_of(rows: u32, edges: u32) -> u32 {
    return clamp(rows / (edges / SHARE_EDGES + 1u), 1u, SHARE);
}

/// Requests the workgroups that the next iteration needs for this many rows and edges.
fn ask_for_groups(rows: u32, edges: u32) {
    var groups = 1u;
    if !is_narrow(rows, edges) {
        let all = (rows + SHARE - 1u) / SHARE + edges / SHARE_EDGES;
        groups = min(all, params.most_groups);
    }
    // RESULT UNUSED: so nothing waits for it. A workgroup asks but once or twice.
    atomicMax(&loop_next.x, groups);
}

/// Stores control for the next iteration, whose frontier is `level`. One invocation calls it.
fn commit(frontier: Frontier, level: u32, explored: u32) {
    atomicStore(&loop_next.words[CONTROL_HEAD], frontier.end);
    atomicStore(&loop_next.words[CONTROL_LEVEL], level);
    atomicStore(&loop_next.words[CONTROL_EXPLORED], explored);
}

/// Stores control for an iteration of another kind or loop, which has to explore the same frontier.
/// One invocation calls it.
fn hand_over(frontier: Frontier) {
    atomicStore(&loop_next.words[CONTROL_ADDED], frontier.end - frontier.head);
    atomicStore(&loop_next.words[CONTROL_EDGES], frontier.edges);
    commit(frontier, frontier.level, frontier.explored);
    atomicStore(&loop_next.words[CONTROL_HEAD], frontier.head);
}
