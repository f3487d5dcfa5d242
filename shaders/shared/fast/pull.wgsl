//! Searching from the other end: where very many states wait in the queue, it is cheaper to ask every state that is not
//! reached yet whether an edge leads to it from one that is.
//!
//! One pass stands for exploring all that waited when it began: a state that an edge joins to one of those is
//! found. Most states need a few of their edges for that, and an invocation looks through them alone. What is found
//! in the pass waits in the queue; whether another one sees it already does not matter.
#import fast/explore

/// As many edges of a state are looked at by one invocation; more, by its workgroup.
const ALONE = 32u;

/// Whether an invocation found an edge for the workgroup.
var<workgroup> is_hit: atomic<u32>;

fn pull(turn: Turn, local: u32) {
    for (var base = turn.group * SIZE; base < params.states; base += turn.groups * SIZE) {
        let i = base + local;
        if i < params.states {
            let word = atomicLoad(&regions[i]);
            let by = reached_by(i);
            if is_live(word) {
                if (by & 1u) == 0u {
                    pull_state(turn, 0u, i, word);
                }
                if (by & 2u) == 0u {
                    pull_state(turn, 1u, i, word);
                }
            }
        }
        pull_long_rows(turn, local);
        hand_over(turn, PILE / 2u, local);
    }
}

/// Whether the edge at a position joins a state of region `name` to one that the search of a side has reached.
fn is_reached_by(turn: Turn, side: u32, position: u32, name: u32) -> bool {
    let u = edge(1u - side, position);
    return (reached_word(u) & (1u << (reached_shift(u) + side))) != 0u && is_joined(turn, side, position, u, name);
}

/// Whether an edge from a state of region `name` to `u` is in the region, and counts.
fn is_joined(turn: Turn, side: u32, position: u32, u: u32, name: u32) -> bool {
    return is_all_one(turn) || (atomicLoad(&regions[u]) == name && is_present(turn, 1u - side, position));
}

/// As `is_reached_by`, for one of four edges, asked at once; past the end, for the last one again.
fn is_reached_by_any(turn: Turn, side: u32, position: u32, end: u32, name: u32) -> bool {
    let at = min(vec4(position) + vec4(0u, 1u, 2u, 3u), vec4(end - 1u));
    let along = 1u - side;
    let u = vec4(edge(along, at.x), edge(along, at.y), edge(along, at.z), edge(along, at.w));
    let words = vec4(reached_word(u.x), reached_word(u.y), reached_word(u.z), reached_word(u.w));
    let is_hit = (words & (vec4(1u) << (2u * (u % vec4(16u)) + vec4(side)))) != vec4(0u);
    return (is_hit.x && is_joined(turn, side, at.x, u.x, name))
        || (is_hit.y && is_joined(turn, side, at.y, u.y, name))
        || (is_hit.z && is_joined(turn, side, at.z, u.z, name))
        || (is_hit.w && is_joined(turn, side, at.w, u.w, name));
}

/// Nobody else does so, for this state and side.
fn reach(turn: Turn, side: u32, state: u32) {
    atomicOr(&reached[state / 16u], 1u << (reached_shift(state) + side));
    found(turn, state | (side << 31u));
}

fn pull_state(turn: Turn, side: u32, state: u32, name: u32) {
    let edges = row(1u - side, state);
    for (var j = edges.x; j < min(edges.y, edges.x + ALONE); j += 4u) {
        if is_reached_by_any(turn, side, j, edges.y, name) {
            reach(turn, side, state);
            return;
        }
    }
    if edges.y - edges.x > ALONE {
        slots[atomicAdd(&slots_taken, 1u)] = state | (side << 31u);
    }
}

/// The rest of the rows that were too long for one invocation: those of the states in `slots`.
fn pull_long_rows(turn: Turn, local: u32) {
    let rows = workgroupUniformLoad(&slots_taken);
    for (var k = 0u; k < rows; k += 1u) {
        let state = slots[k] & STATE;
        let side = slots[k] >> 31u;
        let name = atomicLoad(&regions[state]);
        let edges = row(1u - side, state);
        if local == 0u {
            row_now = edges;
            atomicStore(&is_hit, 0u);
        }
        let bounds = workgroupUniformLoad(&row_now);
        for (var at = bounds.x + ALONE; at < bounds.y; at += SIZE) {
            if at + local < bounds.y && is_reached_by(turn, side, at + local, name) {
                atomicStore(&is_hit, 1u);
            }
            if workgroupUniformLoad(&is_hit) != 0u {
                break;
            }
        }
        if local == 0u && atomicLoad(&is_hit) != 0u {
            reach(turn, side, state);
        }
        workgroupBarrier();
    }
    if local == 0u {
        atomicStore(&slots_taken, 0u);
    }
    workgroupBarrier();
}
