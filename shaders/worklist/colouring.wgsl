//! One iteration of colouring, which divides regions, over one shard of the edges of each
//! direction (S. Orzan, 2004; `docs/colouring.md`). In each round of `worklist/step`, the search
//! from a pivot finds one component, hop by hop. If regions consist of many components, or are
//! long and thin, colours divide all of them at once.
//!
//! The colour of a live state is the largest key among the states of its region that reach it,
//! including itself; in the next turn, among those that it reaches. States that reach one another
//! have the same colour, so no component is divided. The *root* of a colour is the state whose
//! key it is. The states of a colour become a region, in which the root has the largest key. In
//! the next turn, in the other direction, the states that keep this colour are the root's
//! component.
//!
//! A state also takes over the colour of its root. The root is far away, and its colour comes
//! from as far again. So on a path, which a search would follow step by step, colours settle
//! after a number of passes that is logarithmic in its length.
//!
//! First, if TRIM was interrupted, chains of states are trimmed (`worklist/lib/chains`). Then
//! states that lead to each other are merged (`worklist/lib/merge`), and share a colour.
//!
//!     LINK, JUMP, CHAINED
//!     MERGE, HOOK, FLATTEN
//!     COLOUR       each state has its own key as its colour
//!     PROPAGATE    colours follow edges, and come from roots, until none changes
//!     CUT          edges between different colours no longer count; states are trimmed
//!     RENAME       the states of a colour are a region, or the component of their root
//!     END          regions are small enough, or no state is live
//!     GIVE_UP      colours take too long
//!
//! The loop of `worklist/step` halts for this one (PHASE_HALT), and goes on after it. This is a
//! separate kernel because it would cost the other registers and memory.
//!
//! One invocation per state. All workgroups share the rows of hubs: COLOUR lists the hubs, and
//! PROPAGATE and CUT go through that list.
//!
//! flags: CHOICES, COUNTED
//!
//! Shares, by atomics: `regions`, `degrees`, `colours`, `retained`, `pivots`. In `queue` an
//! iteration writes every place once; COLOUR does so in `hubs`, which the others read.
#import worklist/lib/candidates
#import worklist/lib/chains
#import worklist/lib/choices
#import worklist/lib/degrees
#import worklist/lib/edge_counts
#import worklist/lib/expansion
#import worklist/lib/merge
#import lib/grid

/// Keys are the numbers of states at first, unless most edges lead far. Colours settle soon then if
/// edges mostly lead to larger numbers, or to smaller ones, and tell all components apart at once.
/// If they take more passes than this, and after the first turns, keys are mixed.
const MAX_PASSES_BY_NUMBER = 24u;
/// The turns with numbers as keys.
const TURNS_BY_NUMBER = 2u;
/// If chains are more than this part of the live states, TRIM goes on at once.
const MANY_CHAINED = 16u;
/// The number of times that chains are linked in later rounds: to the largest, to the smallest.
const MAX_LINKS = 2u;
/// With fewer states a region than this, searches from pivots find all regions' components sooner.
const SMALL_REGION = 64u;

/// The number of times that a workgroup goes through the same states in a pass.
const MAX_REPEATS = 32u;

/// The first of the states that the workgroup goes through, and whether the colour of one of them
/// has come to another.
var<private> first_nearby: u32;
var<workgroup> has_changed_nearby: atomic<u32>;
var<workgroup> live_states: atomic<u32>;
var<workgroup> live_roots: atomic<u32>;

@compute @workgroup_size(SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) local: u32) {
    var iteration = load_iteration(grid.workgroup.x, grid.count.x);
    if is_over() {
        return;
    }
    iteration.phase = colouring_phase(iteration);
    iteration.is_mixed |= mixes_keys(iteration);
    if scheduled_phase() == PHASE_FLATTEN {
        iteration.is_merged = iteration.passes != 0u;
    }
    let is_first_shard = params.is_first_shard == 1u;
    switch iteration.phase {
        case PHASE_PROPAGATE, PHASE_CUT: {
            expand_states(iteration, local);
            expand_listed_hubs(iteration, local);
        }
        case PHASE_LINK: {
            link_states(iteration, local);
        }
        case PHASE_HOOK: {
            hook_states(iteration, local);
        }
        default: {
            if is_first_shard {
                scan(iteration, local);
            }
        }
    }
    spill(iteration, 0u, local);
    report_change(local);
    report_visits(iteration.phase, local);
    if is_first_shard && grid.workgroup.x == 0u && local == 0u {
        next_colouring_phase(iteration);
    }
}

/// The phases that look at no edges.
fn scan(iteration: Iteration, local: u32) {
    switch iteration.phase {
        case PHASE_JUMP: {
            jump(iteration, local);
        }
        case PHASE_MERGE: {
            if scheduled_phase() == PHASE_JUMP {
                trim_chains(iteration, local);
            } else {
                separate_states(iteration, local);
            }
        }
        case PHASE_FLATTEN: {
            flatten(iteration, local);
        }
        case PHASE_COLOUR: {
            colour_states(iteration, local);
        }
        case PHASE_RENAME: {
            rename_states(iteration, local);
        }
        default: {}
    }
}

/// Returns the number of completed turns. They count as rounds.
fn turns() -> u32 {
    return loop_now.words[CONTROL_ROUND] - loop_now.words[CONTROL_COLOURED_SINCE];
}

/// Returns the direction in which colours follow edges in this turn: 0 forward, 1 backward.
fn direction() -> u32 {
    return turns() % 2u;
}

/// Returns whether keys are numbers no longer, from this iteration on.
fn mixes_keys(iteration: Iteration) -> bool {
    let settles_late = iteration.phase == PHASE_COLOUR && scheduled_phase() == PHASE_PROPAGATE;
    return settles_late || turns() >= TURNS_BY_NUMBER;
}

/// Returns the phase that is asked for, unless the iterations before show that it is over.
fn colouring_phase(iteration: Iteration) -> u32 {
    switch iteration.phase {
        case PHASE_JUMP: {
            let passes = iteration.passes;
            let is_settled = passes != 0u && !has_flag(FLAG_CHANGED);
            return select(PHASE_JUMP, PHASE_MERGE, is_settled || passes > params.number_bits);
        }
        case PHASE_HOOK: {
            // MERGE may have trimmed chains.
            let trimmed = loop_now.words[CONTROL_ADDED];
            let live = select(iteration.live, params.states, iteration.live == 0u);
            if trimmed > live / MANY_CHAINED {
                return PHASE_CHAINED;
            }
            // States that are trimmed because of their choices may still lie on cycles of edges,
            // which colours must not follow.
            let links = loop_now.words[CONTROL_LINKS];
            if iteration.is_pruned && links != 0u {
                return select(PHASE_CHAINED, PHASE_LINK, links < MAX_LINKS);
            }
            return PHASE_HOOK;
        }
        case PHASE_FLATTEN: {
            return select(PHASE_COLOUR, PHASE_FLATTEN, has_flag(FLAG_CHANGED));
        }
        case PHASE_PROPAGATE: {
            let passes = iteration.passes;
            if passes != 0u && !has_flag(FLAG_CHANGED) {
                return PHASE_CUT;
            }
            let is_late = passes >= MAX_PASSES_BY_NUMBER;
            if is_late && !iteration.is_mixed && !mixes_keys(iteration) {
                return PHASE_COLOUR;
            }
            return select(PHASE_PROPAGATE, PHASE_GIVE_UP, passes >= params.most_propagations);
        }
        case PHASE_COLOUR: {
            // RENAME has counted live states, and roots among them.
            let roots = loop_now.words[CONTROL_LIVE_ROOTS];
            let is_small = turns() >= fewest_turns() && iteration.live / SMALL_REGION <= roots;
            let is_end = turns() != 0u && (iteration.live == 0u || is_small);
            return select(PHASE_COLOUR, PHASE_END, is_end);
        }
        default: {
            return iteration.phase;
        }
    }
}

/// After so many turns, two in a row have had the same keys, and so have decided components.
fn fewest_turns() -> u32 {
    return select(2u, 3u, loop_now.words[CONTROL_MIXED] != params.mixes_keys);
}

/// Returns the key of a state.
fn colour_key(iteration: Iteration, state: u32) -> u32 {
    if iteration.is_mixed {
        return key(state, all_degrees(state));
    }
    return KEY | state;
}

/// Returns the state that a colour is the key of.
fn root_of(iteration: Iteration, colour: u32) -> u32 {
    if iteration.is_mixed {
        return state_of(colour);
    }
    return colour & number_mask();
}

/// COLOUR: own keys, and the list of hubs.
fn colour_states(iteration: Iteration, local: u32) {
    let stride = iteration.groups * SIZE;
    for (var i = iteration.group * SIZE + local; i < params.states; i += stride) {
        if (atomicLoad(&regions[i]) & DONE) != 0u {
            continue;
        }
        atomicStore(&colours[i], colour_key(iteration, i));
        let edges = all_degrees(i);
        if edges.y > params.hub_degree {
            list_hub(i);
        }
        if edges.x > params.hub_degree {
            list_hub(i | BACKWARD);
        }
    }
}

fn list_hub(entry: u32) {
    hubs[atomicAdd(&loop_next.words[CONTROL_HUBS], 1u)] = vec2(entry, 0u);
}

/// RENAME: the region of a state is that of its colour. If the turn before has made the state's
/// region from the same root, each of the two reaches the other.
fn rename_states(iteration: Iteration, local: u32) {
    var live = 0u;
    var roots = 0u;
    let stride = iteration.groups * SIZE;
    for (var i = iteration.group * SIZE + local; i < params.states; i += stride) {
        let word = atomicLoad(&regions[i]);
        if (word & DONE) != 0u {
            continue;
        }
        let name = word & NAME;
        let colour = atomicLoad(&colours[representative(iteration, i)]);
        let root = root_of(iteration, colour);
        let region = colour_region(root);
        forget_reduced(name);
        if is_live(word) && turns() != 0u && region == name {
            atomicStore(&regions[i], DONE | root);
            continue;
        }
        atomicStore(&regions[i], region | (word & TRIMMED));
        if is_live(word) {
            live += 1u;
            roots += u32(root == i);
        }
    }
    if live != 0u {
        atomicAdd(&live_states, live);
        atomicAdd(&live_roots, roots);
    }
    let all = workgroupUniformLoad(&live_states);
    if local == 0u && all != 0u {
        atomicAdd(&loop_next.words[CONTROL_LIVE], all);
        atomicAdd(&loop_next.words[CONTROL_LIVE_ROOTS], atomicLoad(&live_roots));
    }
}

/// A region that was made of a component that had lost a choice is no more, and may have had no
/// pivot. A component of the same number may come up again, and has lost nothing then.
fn forget_reduced(name: u32) {
#ifdef CHOICES
    if atomicLoad(&pivots[name]) == REDUCED {
        atomicStore(&pivots[name], 0u);
    }
#endif
}

/// Visits the edges of all states that are in no component yet, SIZE states at a time. In PROPAGATE
/// a workgroup does so again as long as colours follow edges between these states: where edges lead
/// to states nearby, colours go many steps in a pass.
fn expand_states(iteration: Iteration, local: u32) {
    let stride = iteration.groups * SIZE;
    let most = select(1u, MAX_REPEATS, iteration.phase == PHASE_PROPAGATE);
    for (var first = iteration.group * SIZE; first < params.states; first += stride) {
        first_nearby = first;
        for (var repeats = 0u; repeats < most; repeats += 1u) {
            expand_block(iteration, first, local);
            if workgroupUniformLoad(&has_changed_nearby) == 0u {
                break;
            }
            if local == 0u {
                atomicStore(&has_changed_nearby, 0u);
            }
            workgroupBarrier();
        }
        spill(iteration, SPILL_ABOVE, local);
    }
}

/// Visits the edges of up to SIZE states from `first` on. A barrier.
fn expand_block(iteration: Iteration, first: u32, local: u32) {
    let own = open_state(iteration, first + local, local);
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
}

/// Returns the direction of the edges that a phase examines: 0 forward, 1 backward.
fn visited_direction(iteration: Iteration) -> u32 {
    return select(0u, direction(), iteration.phase == PHASE_PROPAGATE);
}

/// Lays out the row of a state, unless it is in a component or a hub. Returns where its edges are.
fn open_state(iteration: Iteration, state: u32, local: u32) -> vec2<u32> {
    let side = visited_direction(iteration);
    if state >= params.states || !is_bound(side, state) {
        return vec2(0u);
    }
    let word = atomicLoad(&regions[state]);
    if (word & DONE) != 0u {
        return vec2(0u);
    }
    let colour = colour_from_root(iteration, state);
    let row = row(side, state);
    if row.y - row.x > params.hub_degree {
        // See `expand_listed_hubs`.
        return vec2(0u);
    }
    return lay_out(row, colour, word & NAME, local);
}

/// Returns the colour of a state. In PROPAGATE it is the colour of its root if that is larger.
fn colour_from_root(iteration: Iteration, state: u32) -> u32 {
    let place = representative(iteration, state);
    let colour = atomicLoad(&colours[place]);
    if iteration.phase != PHASE_PROPAGATE {
        return colour;
    }
    // A root is its own representative.
    let further = atomicLoad(&colours[root_of(iteration, colour)]);
    raise(place, colour, further);
    return max(colour, further);
}

/// Gives a representative a colour if it is larger than the one that it had.
fn raise(place: u32, had: u32, colour: u32) {
    if had < colour && atomicMax(&colours[place], colour) < colour {
        atomicStore(&has_changed, 1u);
    }
}

/// Visits this workgroup's part of the rows of all hubs.
fn expand_listed_hubs(iteration: Iteration, local: u32) {
    let side = visited_direction(iteration);
    for (var i = 0u; i < iteration.hubs; i += 1u) {
        let hub = hubs[i].x;
        let state = hub & STATE;
        // No dispatch has the edges of the largest number: a hub of the other direction has none.
        let edges = row_of_hub(side, select(STATE, state, (hub >> 31u) == side), local);
        let name = atomicLoad(&regions[state]) & NAME;
        let colour = atomicLoad(&colours[representative(iteration, state)]);
        let source = RowOwner(0u, colour, name);
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
    let side = visited_direction(iteration);
    let end = edge(side, position);
    let word = atomicLoad(&regions[end]);
    if (word & ~TRIMMED) != source.name || !is_present(iteration, side, position) {
        return;
    }
    let place = representative(iteration, end);
    let colour = atomicLoad(&colours[place]);
    if iteration.phase == PHASE_PROPAGATE {
        raise(place, colour, source.item);
        if colour < source.item && place - first_nearby < SIZE {
            atomicStore(&has_changed_nearby, 1u);
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

/// Tells the next iteration whether anything has changed. A barrier.
fn report_change(local: u32) {
    workgroupBarrier();
    if local == 0u && atomicLoad(&has_changed) != 0u {
        set_flag(FLAG_CHANGED);
    }
}

/// Decides which phase is next. One invocation calls it. States that are trimmed already, or that
/// CUT has trimmed, wait in the queue for the loop of `worklist/step.wgsl`, which begins with TRIM.
fn next_colouring_phase(iteration: Iteration) {
    var next = control_of(iteration, iteration.head, iteration.end, iteration.logged);
    next.is_mixed = iteration.is_mixed;
    next.is_merged = iteration.is_merged;
    var phase = PHASE_PROPAGATE;
    switch iteration.phase {
        case PHASE_LINK: {
            phase = PHASE_JUMP;
            next.links += 1u;
        }
        case PHASE_JUMP: {
            phase = PHASE_JUMP;
            next.passes = iteration.passes + 1u;
        }
        case PHASE_MERGE: {
            phase = PHASE_HOOK;
        }
        case PHASE_HOOK: {
            phase = PHASE_FLATTEN;
        }
        case PHASE_FLATTEN: {
            phase = PHASE_FLATTEN;
            next.passes = iteration.passes + 1u;
        }
        case PHASE_COLOUR: {}
        case PHASE_PROPAGATE: {
            next.passes = iteration.passes + 1u;
            // The list of hubs stays as it is.
            atomicStore(&loop_next.words[CONTROL_HUBS], iteration.hubs);
        }
        case PHASE_CUT: {
            phase = PHASE_RENAME;
            next.flags &= ~FLAG_UNCUT;
        }
        case PHASE_RENAME: {
            phase = PHASE_COLOUR;
            next.round += 1u;
            // The workgroups count anew.
            next.live = 0u;
        }
        default: {
            phase = PHASE_TRIM;
            // The whole graph is one region no longer, or is taken for several.
            next.round = max(iteration.round, 1u);
            next.thin = 0u;
            next.slow_rounds = 0u;
        }
    }
    commit(phase, iteration.phase, iteration.groups, next, phase != PHASE_TRIM);
}
