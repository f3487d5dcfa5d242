//! One iteration of the worklist engine's test whether the whole graph is one component, over one
//! shard of the edges of each direction (`docs/algorithms.md`, "One component").
//!
//! If it is, this search shows that earlier than `worklist/step`. Otherwise it has no result. All
//! workgroups share the work of a phase:
//!
//!     INIT     looks for a pivot, and for states that no edge enters, or none leaves
//!     SEARCH   what the pivot reaches, forward and backward at once
//!     FINISH   all states are the pivot's component; the last SEARCH, which finds nothing left to
//!              explore, does this
//!
//! flags: COUNTED
//! checks: debug
//!
//! Shares, by atomics: `regions`, `reached`, `pivots`. In `queue` and `hubs` an iteration reads
//! what earlier ones wrote, and writes elsewhere, every place once.
#import worklist/lib/candidates
#import worklist/lib/reach_all
#import lib/grid

var<workgroup> lacks_edges: atomic<u32>;

@compute @workgroup_size(SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) local: u32) {
    let iteration = load_iteration(grid.workgroup.x, grid.count.x);
    if is_over() {
        return;
    }
    let is_first_shard = params.is_first_shard == 1u;
    if iteration.phase == PHASE_INIT {
        if is_first_shard {
            survey(iteration, local);
        }
    } else if ends(iteration) {
        if is_first_shard && is_one_component(iteration) {
            name_all(iteration, local);
        }
    } else {
        if is_first_shard && begins() && iteration.group == 0u && local == 0u {
            let pivot = first_pivot();
            // RESULT UNUSED: one invocation of all begins the searches.
            atomicOr(&reached[pivot / REACHED_PER_WORD], 3u << reached_shift(pivot));
            enqueue(iteration, pivot);
            enqueue(iteration, pivot | BACKWARD);
        }
        workgroupBarrier();
        reach_all(iteration, local);
        reach_from_hubs(iteration, local);
    }
    spill(iteration, 0u, local);
    report_visits(iteration.phase, local);
    if is_first_shard && grid.workgroup.x == 0u && local == 0u {
        next_whole_phase(iteration);
    }
}

/// Returns whether nothing has been searched yet.
fn begins() -> bool {
    return loop_now.iteration == 1u;
}

/// Returns whether a SEARCH has nothing to explore, or does not start because a state lacks edges.
fn ends(iteration: Iteration) -> bool {
    if begins() {
        return has_flag(FLAG_LACKS_EDGES);
    }
    return is_idle(iteration);
}

/// Returns whether each state was explored in both directions.
fn is_one_component(iteration: Iteration) -> bool {
    return !begins() && iteration.end + iteration.logged == 2u * params.states;
}

fn first_pivot() -> u32 {
    return state_of(atomicLoad(&pivots[first_pivot_at()]));
}

/// INIT: finds the best candidate of all states, and whether a state lacks edges in a direction.
fn survey(iteration: Iteration, local: u32) {
    var best = 0u;
    var lacks = false;
    let stride = iteration.groups * SIZE;
    for (var i = iteration.group * SIZE + local; i < params.states; i += stride) {
        let count = all_degrees(i);
        lacks |= count.x == 0u || count.y == 0u;
        best = max(best, key(i, count));
    }
    if lacks {
        atomicStore(&lacks_edges, 1u);
    }
    offer_first(best, local);
    if local == 0u && atomicLoad(&lacks_edges) != 0u {
        set_flag(FLAG_LACKS_EDGES);
    }
}

/// FINISH: every state is in the pivot's component.
fn name_all(iteration: Iteration, local: u32) {
    let word = params.one_component_mark | first_pivot();
    let stride = iteration.groups * SIZE;
    for (var i = iteration.group * SIZE + local; i < params.states; i += stride) {
        atomicStore(&regions[i], word);
    }
}

/// Decides which phase is next. One invocation calls it. The loop ends with FINISH, or with INIT if
/// the graph is not one component.
fn next_whole_phase(iteration: Iteration) {
    var phase = PHASE_SEARCH;
    let goes_on = iteration.phase == PHASE_INIT || !ends(iteration);
    if !goes_on {
        phase = select(PHASE_INIT, PHASE_FINISH, is_one_component(iteration));
    }
    commit(phase, iteration.phase, iteration.groups, continue_queue(iteration), goes_on);
}
