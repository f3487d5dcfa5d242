//! The control record of the search's loop: what an iteration stores for the next one, and what
//! follows from it.
//!
//! An iteration explores a frontier, the states of one level, whose rows of edges lie in the queue.
//! It does so in one of three ways:
//!
//!     top down    all workgroups follow the edges of the frontier
//!     bottom up   all workgroups look for unreached states with an edge from the frontier
//!     narrow      one workgroup alone follows the edges of a small frontier, level by level
//!
//! All workgroups choose the same way, as they read the same record. Each choice is such that it
//! stays what it is when the counters grow: so the workgroup that adds last to a counter knows how
//! many workgroups the next iteration needs.
//!
//! flags: TRANSPOSED
#import lib/loop

/// Invocations of a workgroup.
const SIZE = 256u;

/// In `distances`: the state was not reached.
const UNREACHED = 0xffffffffu;

/// Counter: rows that were added to the queue.
const CONTROL_ADDED = 0u;
/// Counter: the edges of these rows.
const CONTROL_EDGES = 1u;
/// Where the rows begin that the iteration before has explored, or where the queue begins.
const CONTROL_HEAD = 2u;
/// The distance of the states whose rows are to be explored.
const CONTROL_LEVEL = 3u;
/// The edges that earlier iterations have explored.
const CONTROL_EXPLORED = 4u;
/// 1 if the iteration before went bottom up.
const CONTROL_BOTTOM_UP = 5u;

/// When a search goes bottom up, and when it returns (S. Beamer, K. Asanović, D. Patterson:
/// *Direction-optimizing breadth-first search*, 2012, section IV): if the frontier has more than
/// one in ALPHA of the edges that are left; and if it has fewer than one in BETA of the states.
const ALPHA = 14u;
const BETA = 24u;
/// Bottom up, all states are looked at; that is as much as to follow one in SCAN as many edges.
const SCAN = 8u;

/// How many rows a narrow frontier has at most, and how many edges.
const NARROW_ROWS = 512u;
const NARROW_EDGES = 8192u;
/// The fewest rows that are worth a workgroup.
const SHARE = 16u;

struct LevelParams {
    states: u32,
    edges: u32,
    /// The most workgroups.
    most_groups: u32,
    /// How many levels one workgroup explores in an iteration.
    levels: u32,
}

/// What an iteration explores.
struct Frontier {
    /// The rows lie from `head` to `end` in the queue.
    head: u32,
    end: u32,
    /// The distance of their states.
    level: u32,
    /// The edges of these rows, and those of all rows before them.
    edges: u32,
    explored: u32,
    is_bottom_up: bool,
}

/// What the iteration before has left.
fn load_frontier() -> Frontier {
    let rows = loop_now.words[CONTROL_ADDED];
    let edges = loop_now.words[CONTROL_EDGES];
    let explored = loop_now.words[CONTROL_EXPLORED];
    let was_bottom_up = loop_now.words[CONTROL_BOTTOM_UP] == 1u;
    let head = loop_now.words[CONTROL_HEAD];
    return Frontier(
        head,
        head + rows,
        loop_now.words[CONTROL_LEVEL],
        edges,
        explored,
        goes_bottom_up(was_bottom_up, rows, edges, explored),
    );
}

/// Whether a frontier of so many rows and edges is explored bottom up.
fn goes_bottom_up(was_bottom_up: bool, rows: u32, edges: u32, explored: u32) -> bool {
#ifdef TRANSPOSED
    if was_bottom_up {
        return rows > params.states / BETA;
    }
    let left = params.edges - min(params.edges, explored + edges);
    return edges > left / ALPHA && edges > params.states / SCAN;
#else
    return false;
#endif
}

fn is_narrow(rows: u32, edges: u32) -> bool {
    return rows <= NARROW_ROWS && edges <= NARROW_EDGES;
}

/// Asks for the workgroups that the next iteration needs, if it has so many rows and edges.
fn ask_for_groups(frontier: Frontier, rows: u32, edges: u32) {
    let explored = frontier.explored + frontier.edges;
    if goes_bottom_up(frontier.is_bottom_up, rows, edges, explored) {
        loop_again(params.most_groups);
    } else if is_narrow(rows, edges) {
        loop_again(1u);
    } else {
        loop_again(min((rows + SHARE - 1u) / SHARE, params.most_groups));
    }
}

/// Stores control for the next iteration, whose frontier is `level`. One invocation calls it.
fn commit(frontier: Frontier, level: u32, explored: u32) {
    atomicStore(&loop_next.words[CONTROL_HEAD], frontier.end);
    atomicStore(&loop_next.words[CONTROL_LEVEL], level);
    atomicStore(&loop_next.words[CONTROL_EXPLORED], explored);
    atomicStore(&loop_next.words[CONTROL_BOTTOM_UP], u32(frontier.is_bottom_up));
}
