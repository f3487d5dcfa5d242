//! One iteration of what divides regions by *signatures*, over one shard of the edges: where a region is many components that do not
//! reach one another, a pivot a round finds one of them, and signatures tell all of them apart at once.
//!
//! A live state's signature is the largest key of the states of its region that reach it, itself included. States that reach one another
//! have the same, so no component is divided. It is the endgame of `worklist/step.wgsl`, which ends in its part HALT when that
//! has taken many rounds, and goes on behind this one. Of a kernel of its own, as it would take room there.
//!
//!     SIGN      each state signs with its own key
//!     SPREAD    signatures go along edges, until none changes; or too often: then nothing is divided
//!     CUT       edges between different signatures no longer count; states fall
//!     RENAME    the states of a signature are a region
//!
//! Rows of very many edges are shared by all workgroups: SIGN lists their states in `heavy`, and SPREAD and CUT go through
//! that list.
//!
//! flags: CHOICES, COUNTED
//!
//! Shares, by atomics: `regions`, `degrees`, `signatures`, `retained`. In `queue` an iteration writes every place once; SIGN does in
//! `heavy`, which the others read.
#import worklist/lib/candidates
#import worklist/lib/choices
#import worklist/lib/expansion

const SIGN = 15u;
const SPREAD = 16u;
const CUT = 17u;
const RENAME = 18u;
/// Signatures do not settle.
const GIVE_UP = 19u;

/// A state's signature: the key of a state.
@group(0) @binding(19) var<storage, read_write> signatures: array<atomic<u32>>;

var<workgroup> changes: atomic<u32>;

@compute @workgroup_size(SIZE)
fn main(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    var turn = turn_of(workgroup.x, count.x);
    if is_over() {
        return;
    }
    turn.part = refining(turn);
    let leads = params.leads == 1u;
    if turn.part == SPREAD || turn.part == CUT {
        walk(turn, local);
        walk_heavy(turn, local);
    } else if leads && turn.part != GIVE_UP {
        scan(turn, local);
    }
    hand_over(turn, 0u, local);
    tell_changes(local);
    tell_touched(turn.part, local);
    if leads && workgroup.x == 0u && local == 0u {
        lead_refining(turn);
    }
}

/// Spreading ends when the last iteration has changed nothing. `logged` counts how often it was done.
fn refining(turn: Turn) -> u32 {
    if turn.part != SPREAD || turn.logged == 0u {
        return turn.part;
    }
    if loop_now.words[1] == 0u {
        return CUT;
    }
    return select(SPREAD, GIVE_UP, turn.logged >= params.spreads);
}

/// SIGN and RENAME.
fn scan(turn: Turn, local: u32) {
    for (var i = turn.group * SIZE + local; i < params.states; i += turn.groups * SIZE) {
        let word = atomicLoad(&regions[i]);
        if (word & DONE) != 0u {
            continue;
        }
        if turn.part == SIGN {
            atomicStore(&signatures[i], key_of(i));
            if offsets[i + 1u] - offsets[i] > params.heavy_degree {
                heavy[atomicAdd(&loop_next.words[2], 1u)] = vec2(i, 0u);
            }
        } else {
            let state = state_of(atomicLoad(&signatures[i]));
            atomicStore(&regions[i], signature_name(state) | (word & FALLEN));
        }
    }
}

/// The region of a signature, which is that of a state. All live states are renamed at a time, so no two of these are there that
/// were made at different times.
fn signature_name(state: u32) -> u32 {
    return NAMES_A_STATE * params.states + 1u + state;
}

/// The edges of all states that are in no component yet, laid end to end for 256 of them at a time.
fn walk(turn: Turn, local: u32) {
    for (var first = turn.group * SIZE; first < params.states; first += turn.groups * SIZE) {
        let own = take_slots(first + local, local);
        let edges = workgroupUniformLoad(&slots_taken);
        for (var window = 0u; window < edges; window += SLOTS) {
            deal_slots(own, window, local);
            for (var j = window + local; j < min(edges, window + SLOTS); j += SIZE) {
                touches(1u);
                let invocation = invocation_of(j - window);
                let source = owner(invocation);
                follow(turn, first + invocation, source, source.base + j);
            }
        }
        workgroupBarrier();
        if local == 0u {
            atomicStore(&slots_taken, 0u);
        }
        hand_over(turn, PILE / 2u, local);
    }
}

fn take_slots(state: u32, local: u32) -> vec2<u32> {
    if state >= params.states || !is_bound(0u, state) {
        return vec2(0u);
    }
    let word = atomicLoad(&regions[state]);
    if (word & DONE) != 0u {
        return vec2(0u);
    }
    let row = row(0u, state);
    let degree = row.y - row.x;
    if degree > params.heavy_degree {
        // See `walk_heavy`.
        return vec2(0u);
    }
    let first = atomicAdd(&slots_taken, degree);
    set_owner(local, Owner(row.x - first, atomicLoad(&signatures[state]), word & NAME));
    return vec2(first, first + degree);
}

/// The rows that are too long for a workgroup: each has a part of every one.
fn walk_heavy(turn: Turn, local: u32) {
    for (var i = 0u; i < turn.heavy; i += 1u) {
        let state = heavy[i].x;
        let edges = row_together(0u, state, local);
        let source = Owner(0u, atomicLoad(&signatures[state]), atomicLoad(&regions[state]) & NAME);
        for (var base = edges.x + turn.group * SLOTS; base < edges.y; base += turn.groups * SLOTS) {
            for (var j = base + local; j < min(edges.y, base + SLOTS); j += SIZE) {
                touches(1u);
                follow(turn, state, source, j);
            }
            hand_over(turn, PILE / 2u, local);
        }
    }
}

/// An edge from `state`.
fn follow(turn: Turn, state: u32, source: Owner, position: u32) {
    let t = edge(0u, position);
    if (atomicLoad(&regions[t]) & ~FALLEN) != source.name || !is_present(turn, 0u, position) {
        return;
    }
    let signature = atomicLoad(&signatures[t]);
    if turn.part == SPREAD {
        if signature < source.item && atomicMax(&signatures[t], source.item) < source.item {
            atomicStore(&changes, 1u);
        }
    } else if signature != source.item {
        touch(state);
        if lose_edge(state, 1u) {
            found(turn, state | BACKWARD);
        }
        if lose_edge(t, 0u) {
            found(turn, t);
        }
    }
}

/// Tells the next iteration whether a signature has changed. A barrier.
fn tell_changes(local: u32) {
    workgroupBarrier();
    if local == 0u && atomicLoad(&changes) != 0u {
        atomicAdd(&loop_next.words[1], 1u);
    }
}

/// Decides what comes next. One invocation does. The loop ends with PEEL to be done, or PIVOT if nothing was divided.
fn lead_refining(turn: Turn) {
    var next = go_on(turn);
    var part = SPREAD;
    switch turn.part {
        case SIGN: {
            next = start_over(turn);
        }
        case SPREAD: {
            next.logged = turn.logged + 1u;
            // The list stays as it is.
            atomicStore(&loop_next.words[2], turn.heavy);
        }
        case CUT: {
            part = RENAME;
        }
        case RENAME: {
            part = PEEL;
            next = control_of(turn, 0u, turn.end, 0u);
            next.opened = turn.round;
        }
        default: {
            part = PIVOT;
            next = start_over(turn);
            next.opened = turn.round;
        }
    }
    conclude(turn, part, next, part != PEEL && part != PIVOT);
}
