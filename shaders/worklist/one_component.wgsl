//! One iteration of a search that takes the whole graph for one component, over one shard of the edges of each direction.
//!
//! If it is one, that is known sooner than by `worklist/step.wgsl`; if it is not, nothing is.
//!
//!     INIT     looks for a pivot, and for states that no edge reaches, or none leaves
//!     SEARCH   what the pivot reaches, forward and backward at once
//!     FINISH   all states are the pivot's component: the last SEARCH, which finds nothing left to explore, does that
//!
//! flags: COUNTED
//! checks: debug
//!
//! Shares, by atomics: `regions`, `reached`, `pivots`. In `queue` and `heavy` an iteration reads what earlier ones wrote, and
//! writes elsewhere, every place once.
#import worklist/lib/candidates
#import worklist/lib/reach_all

var<workgroup> lacking: atomic<u32>;

@compute @workgroup_size(SIZE)
fn main(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let turn = turn_of(workgroup.x, count.x);
    if is_over() {
        return;
    }
    let leads = params.leads == 1u;
    if turn.part == INIT {
        if leads {
            survey(turn, local);
        }
    } else if ends(turn) {
        if leads && is_whole(turn) {
            name_all(turn, local);
        }
    } else {
        if leads && begins() && turn.group == 0u && local == 0u {
            let pivot = first_pivot();
            // RESULT UNUSED: one invocation of all begins the searches.
            atomicOr(&reached[pivot / 16u], 3u << reached_shift(pivot));
            found(turn, pivot);
            found(turn, pivot | BACKWARD);
        }
        workgroupBarrier();
        flood(turn, local);
        flood_heavy(turn, local);
    }
    hand_over(turn, 0u, local);
    tell_touched(turn.part, local);
    if leads && workgroup.x == 0u && local == 0u {
        lead_whole(turn);
    }
}

/// Whether nothing has been searched yet.
fn begins() -> bool {
    return loop_now.iteration == 1u;
}

/// Whether a SEARCH has nothing to explore, or does not start as some state lacks edges.
fn ends(turn: Turn) -> bool {
    if begins() {
        return loop_now.words[1] != 0u;
    }
    return is_idle(turn);
}

/// Whether each state was explored in both directions.
fn is_whole(turn: Turn) -> bool {
    return !begins() && turn.end + turn.logged == 2u * params.states;
}

fn first_pivot() -> u32 {
    return state_of(atomicLoad(&pivots[first_at()]));
}

/// INIT: the best candidate of all states; counts those that lack edges in a direction.
fn survey(turn: Turn, local: u32) {
    var best = 0u;
    var lacks = false;
    for (var i = turn.group * SIZE + local; i < params.states; i += turn.groups * SIZE) {
        let leaving = offsets[i + 1u] - offsets[i];
        let reaching = back_offsets[i + 1u] - back_offsets[i];
        lacks |= leaving == 0u || reaching == 0u;
        best = max(best, key(i, reaching, leaving));
    }
    if lacks {
        atomicStore(&lacking, 1u);
    }
    offer_first(best, local);
    if local == 0u && atomicLoad(&lacking) != 0u {
        atomicAdd(&loop_next.words[1], 1u);
    }
}

/// FINISH: every state is in the pivot's component.
fn name_all(turn: Turn, local: u32) {
    let word = params.whole_mark | first_pivot();
    for (var i = turn.group * SIZE + local; i < params.states; i += turn.groups * SIZE) {
        atomicStore(&regions[i], word);
    }
}

/// Decides what comes next. One invocation does. The loop ends with FINISH, or with INIT if the graph is not one component.
fn lead_whole(turn: Turn) {
    var part = SEARCH;
    let goes_on = turn.part == INIT || !ends(turn);
    if !goes_on {
        part = select(INIT, FINISH, is_whole(turn));
    }
    conclude(turn, part, go_on(turn), goes_on);
}
