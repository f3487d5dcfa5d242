//! One iteration of colouring, which divides regions, over one shard of the edges. Where a region
//! consists of many components that do not reach one another, a pivot a round finds one of them;
//! colours tell all of them apart at once.
//!
//! The colour of a live state is the largest key among the states of its region that reach it,
//! including itself. States that reach one another have the same colour, so no component is
//! divided. The loop of `worklist/step.wgsl` halts after many rounds, and goes on after this one.
//! This is a kernel of its own because it would cost the other one registers and memory.
//!
//!     COLOUR       each state has its own key as its colour
//!     PROPAGATE    colours follow edges until none changes; if that takes long, nothing is divided
//!     CUT          edges between different colours no longer count; states are trimmed
//!     RENAME       the states of a colour are a region
//!
//! All workgroups share the rows of hubs: COLOUR lists the hubs, and PROPAGATE and CUT go through
//! that list.
//!
//! flags: CHOICES, COUNTED
//!
//! Shares, by atomics: `regions`, `degrees`, `colours`, `retained`. In `queue` an iteration writes
//! every place once; COLOUR does so in `hubs`, which the others read.
#import worklist/lib/candidates
#import worklist/lib/choices
#import worklist/lib/degrees
#import worklist/lib/edge_counts
#import worklist/lib/expansion

/// The colour of each state: the key of a state.
@group(0) @binding(19) var<storage, read_write> colours: array<atomic<u32>>;

var<workgroup> has_changed: atomic<u32>;

@compute @workgroup_size(SIZE)
fn main(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    var iteration = load_iteration(workgroup.x, count.x);
    if is_over() {
        return;
    }
    iteration.phase = colouring_phase(iteration);
    let is_first_shard = params.is_first_shard == 1u;
    if iteration.phase == PHASE_PROPAGATE || iteration.phase == PHASE_CUT {
        expand_states(iteration, local);
        expand_listed_hubs(iteration, local);
    } else if is_first_shard && iteration.phase != PHASE_GIVE_UP {
        scan(iteration, local);
    }
    spill(iteration, 0u, local);
    report_change(local);
    report_visits(iteration.phase, local);
    if is_first_shard && workgroup.x == 0u && local == 0u {
        next_colouring_phase(iteration);
    }
}

/// How many iterations have propagated colours. COLOUR takes the first iteration of the loop.
fn propagations() -> u32 {
    return loop_now.iteration - 1u;
}

/// Propagation ends when the iteration before has changed no colour, or when it takes too long.
fn colouring_phase(iteration: Iteration) -> u32 {
    if iteration.phase != PHASE_PROPAGATE || propagations() == 0u {
        return iteration.phase;
    }
    if !has_flag(FLAG_COLOUR_CHANGED) {
        return PHASE_CUT;
    }
    return select(PHASE_PROPAGATE, PHASE_GIVE_UP, propagations() >= params.most_propagations);
}

/// COLOUR and RENAME.
fn scan(iteration: Iteration, local: u32) {
    let stride = iteration.groups * SIZE;
    for (var i = iteration.group * SIZE + local; i < params.states; i += stride) {
        let word = atomicLoad(&regions[i]);
        if (word & DONE) != 0u {
            continue;
        }
        if iteration.phase == PHASE_COLOUR {
            atomicStore(&colours[i], key(i, degrees_of(i)));
            if offsets[i + 1u] - offsets[i] > params.hub_degree {
                hubs[atomicAdd(&loop_next.words[CONTROL_HUBS], 1u)] = vec2(i, 0u);
            }
        } else {
            let state = state_of(atomicLoad(&colours[i]));
            atomicStore(&regions[i], colour_region(state) | (word & TRIMMED));
        }
    }
}

/// The region of a colour, which is the key of a state. All live states are renamed together, so no
/// two such regions exist that were made at different times.
fn colour_region(state: u32) -> u32 {
    return NAMES_A_STATE * params.states + 1u + state;
}

/// Visits the edges of all states that are in no component yet, SIZE states at a time.
fn expand_states(iteration: Iteration, local: u32) {
    let stride = iteration.groups * SIZE;
    for (var first = iteration.group * SIZE; first < params.states; first += stride) {
        let own = open_state(first + local, local);
        let edges = workgroupUniformLoad(&expanded);
        for (var window = 0u; window < edges; window += WINDOW) {
            fill_window(own, window, local);
            for (var j = window + local; j < min(edges, window + WINDOW); j += SIZE) {
                count_visits(1u);
                let index = owner_index(j - window);
                let source = row_owner(index);
                visit_colour(iteration, first + index, source, source.base + j);
            }
        }
        workgroupBarrier();
        if local == 0u {
            atomicStore(&expanded, 0u);
        }
        spill(iteration, SPILL_ABOVE, local);
    }
}

/// Lays out the row of a state, unless it is in a component or a hub. Returns where its edges are.
fn open_state(state: u32, local: u32) -> vec2<u32> {
    if state >= params.states || !is_bound(0u, state) {
        return vec2(0u);
    }
    let word = atomicLoad(&regions[state]);
    if (word & DONE) != 0u {
        return vec2(0u);
    }
    let row = row(0u, state);
    if row.y - row.x > params.hub_degree {
        // See `expand_listed_hubs`.
        return vec2(0u);
    }
    return lay_out(row, atomicLoad(&colours[state]), word & NAME, local);
}

/// Visits this workgroup's part of the rows of all hubs.
fn expand_listed_hubs(iteration: Iteration, local: u32) {
    for (var i = 0u; i < iteration.hubs; i += 1u) {
        let state = hubs[i].x;
        let edges = row_of_hub(0u, state, local);
        let name = atomicLoad(&regions[state]) & NAME;
        let source = RowOwner(0u, atomicLoad(&colours[state]), name);
        let stride = iteration.groups * WINDOW;
        for (var base = edges.x + iteration.group * WINDOW; base < edges.y; base += stride) {
            for (var j = base + local; j < min(edges.y, base + WINDOW); j += SIZE) {
                count_visits(1u);
                visit_colour(iteration, state, source, j);
            }
            spill(iteration, SPILL_ABOVE, local);
        }
    }
}

/// PROPAGATE and CUT, for an edge of `state`, whose colour is the item of `source`.
fn visit_colour(iteration: Iteration, state: u32, source: RowOwner, position: u32) {
    let end = edge(0u, position);
    let word = atomicLoad(&regions[end]);
    if (word & ~TRIMMED) != source.name || !is_present(iteration, 0u, position) {
        return;
    }
    let colour = atomicLoad(&colours[end]);
    if iteration.phase == PHASE_PROPAGATE {
        if colour < source.item && atomicMax(&colours[end], source.item) < source.item {
            atomicStore(&has_changed, 1u);
        }
    } else if colour != source.item {
        touch(state);
        if subtract_edge(state, 1u) {
            enqueue(iteration, state | BACKWARD);
        }
        if subtract_edge(end, 0u) {
            enqueue(iteration, end);
        }
    }
}

/// Tells the next iteration whether a colour has changed. A barrier.
fn report_change(local: u32) {
    workgroupBarrier();
    if local == 0u && atomicLoad(&has_changed) != 0u {
        set_flag(FLAG_COLOUR_CHANGED);
    }
}

/// Decides which phase is next. One invocation calls it. The loop ends with TRIM as the next phase
/// of `worklist/step.wgsl`, or with PIVOT if nothing was divided.
fn next_colouring_phase(iteration: Iteration) {
    var next = continue_queue(iteration);
    var phase = PHASE_PROPAGATE;
    switch iteration.phase {
        case PHASE_COLOUR: {
            next = empty_queue(iteration);
        }
        case PHASE_PROPAGATE: {
            // The list of hubs stays as it is.
            atomicStore(&loop_next.words[CONTROL_HUBS], iteration.hubs);
        }
        case PHASE_CUT: {
            phase = PHASE_RENAME;
        }
        case PHASE_RENAME: {
            phase = PHASE_TRIM;
            next = control_of(iteration, 0u, iteration.end, 0u);
            next.divided = iteration.round;
        }
        default: {
            phase = PHASE_PIVOT;
            next = empty_queue(iteration);
            next.divided = iteration.round;
        }
    }
    let goes_on = phase != PHASE_TRIM && phase != PHASE_PIVOT;
    commit(phase, iteration.phase, iteration.groups, next, goes_on);
}
