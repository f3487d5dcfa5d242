//! What a phase does at an edge, in any scheduler.
//!
//!     TRIM             the end of the edge loses an edge, if it is live and of the same region;
//!                      in later rounds of a MEC search, it loses the choice that leads to the
//!                      trimmed state, too
//!     SEARCH           the end is reached, if it is of the same region and was not reached before
//!     ATTRACTOR        the choice of the edge may lead to a dead state: it is removed
//!     UPDATE_DEGREES   both ends lose an edge, if different searches have reached them
//!     PRUNE            the choice of the edge is removed, if it leaves the component
//!     COUNT_DEGREES    both ends gain an edge
//!
//! The first three find states that are to be explored in the same phase. Schedulers that explore
//! them are the global queue (`explore.wgsl`, which also shares the rows of hubs), the local BFS
//! (`local_bfs.wgsl`), and the search that takes the graph for one component (`reach_all.wgsl`).
//! `scheduler` says which data they read, and when:
//!
//!     GLOBAL_QUEUE   many edges: what an answer makes needless is not asked
//!     LOCAL_BFS      few edges: everything is asked at once, so that no access waits for another
//!     REACH_ALL      every state is live, of one region, and every edge counts: neither is asked
//!
//! Up to four edges are visited at a time, so that accesses to memory overlap. `width` says how
//! many, and is a constant wherever `visit` is called, so that compilers leave out the others.
//!
//! UPDATE_DEGREES visits edges against the direction of the search. When the searches have ended,
//! all edges that the split cuts are among these (`docs/algorithms.md`, "Updating degrees"). The
//! edges that TRIM follows backward are cut, too.
//!
//! flags: CHOICES
#import worklist/lib/choices
#import worklist/lib/degrees
#import worklist/lib/edge_counts
#import worklist/lib/expansion
#import worklist/lib/queue

const GLOBAL_QUEUE = 0u;
const LOCAL_BFS = 1u;
const REACH_ALL = 2u;

/// Up to four edges.
struct Edges {
    is_there: vec4<bool>,
    /// The entries of the queue whose edges they are, and the regions of these entries' states.
    entries: vec4<u32>,
    names: vec4<u32>,
    /// Their positions among the edges that are bound.
    positions: vec4<u32>,
    /// The states at their other ends.
    ends: vec4<u32>,
}

/// One of them.
struct Edge {
    entry: u32,
    name: u32,
    position: u32,
    end: u32,
}

fn edge_of(edges: Edges, i: u32) -> Edge {
    return Edge(edges.entries[i], edges.names[i], edges.positions[i], edges.ends[i]);
}

fn one_edge(entry: u32, name: u32, position: u32, end: u32) -> Edges {
    let is_there = vec4(true, false, false, false);
    return Edges(is_there, vec4(entry), vec4(name), vec4(position), vec4(end));
}

/// Returns the direction in which the edges of an entry are followed: 0 forward, 1 backward.
fn direction_of(phase: u32, entry: u32) -> u32 {
    return (entry >> 31u) ^ select(0u, 1u, phase == PHASE_UPDATE_DEGREES);
}

/// Returns an invocation's edges of a window. Where there are fewer than four, the last one stands
/// for the others.
fn four_edges(phase: u32, window: u32, edges: u32, local: u32) -> Edges {
    let last = vec4(min(edges - window, WINDOW) - 1u);
    let wanted = vec4(local) + vec4(0u, SIZE, 2u * SIZE, 3u * SIZE);
    let at = min(wanted, last);
    count_visits(dot(vec4(1u), vec4<u32>(wanted <= last)));
    let a = owner_of(at.x);
    let b = owner_of(at.y);
    let c = owner_of(at.z);
    let d = owner_of(at.w);
    let positions = vec4(a.base, b.base, c.base, d.base) + vec4(window) + at;
    let ends = vec4(
        edge(direction_of(phase, a.item), positions.x),
        edge(direction_of(phase, b.item), positions.y),
        edge(direction_of(phase, c.item), positions.z),
        edge(direction_of(phase, d.item), positions.w),
    );
    let entries = vec4(a.item, b.item, c.item, d.item);
    return Edges(wanted <= last, entries, vec4(a.name, b.name, c.name, d.name), positions, ends);
}

/// TRIM, SEARCH, ATTRACTOR. Returns which ends are to be explored, and by this invocation.
fn visit(iteration: Iteration, phase: u32, edges: Edges, width: u32, scheduler: u32) -> vec4<bool> {
    switch phase {
        case PHASE_TRIM: {
            return trim(iteration, edges, width, scheduler);
        }
#ifdef CHOICES
        case PHASE_ATTRACTOR: {
            // Always one at a time.
            return vec4(attract(edges.positions.x, edges.ends.x), false, false, false);
        }
#endif
        default: {
            return search(iteration, edges, width, scheduler);
        }
    }
}

/// Returns the words of `regions` of some states.
fn load_regions(states: vec4<u32>, width: u32) -> vec4<u32> {
    var words = vec4(0u);
    words.x = atomicLoad(&regions[states.x]);
    if width > 1u {
        words.y = atomicLoad(&regions[states.y]);
    }
    if width > 2u {
        words.z = atomicLoad(&regions[states.z]);
        words.w = atomicLoad(&regions[states.w]);
    }
    return words;
}

/// Returns the words of `reached` with the bits of some states.
fn load_reached(states: vec4<u32>, width: u32) -> vec4<u32> {
    var words = vec4(0u);
    words.x = reached_word(states.x);
    if width > 1u {
        words.y = reached_word(states.y);
    }
    if width > 2u {
        words.z = reached_word(states.z);
        words.w = reached_word(states.w);
    }
    return words;
}

/// Returns which of these edges belong to choices that were there when the round began.
fn are_present(iteration: Iteration, edges: Edges, asked: vec4<bool>, width: u32) -> vec4<bool> {
    if !iteration.is_pruned {
        return vec4(true);
    }
    let at = edges.positions;
    let sides = edges.entries >> vec4(31u);
    return vec4(
        asked.x && is_present(iteration, sides.x, at.x),
        width > 1u && asked.y && is_present(iteration, sides.y, at.y),
        width > 2u && asked.z && is_present(iteration, sides.z, at.z),
        width > 2u && asked.w && is_present(iteration, sides.w, at.w),
    );
}

/// SEARCH. Returns which ends are reached for the first time.
fn search(iteration: Iteration, edges: Edges, width: u32, scheduler: u32) -> vec4<bool> {
    let ends = edges.ends;
    let bits = vec4(1u) << (2u * (ends % vec4(REACHED_PER_WORD)) + (edges.entries >> vec4(31u)));
    var asked = edges.is_there;
    var is_ours = vec4(true);
    if scheduler == LOCAL_BFS {
        is_ours = load_regions(ends, width) == edges.names;
        asked &= are_present(iteration, edges, asked, width);
        if !is_first_search(iteration) {
            asked &= is_ours & ((load_reached(ends, width) & bits) == vec4(0u));
        }
    } else {
        asked &= (load_reached(ends, width) & bits) == vec4(0u);
        // Whether they are of the region is asked of these only, by `reach`.
    }
    let asks_region = scheduler == GLOBAL_QUEUE && !is_one_region(iteration);
    let is_first = vec4(
        asked.x && reach(iteration, edge_of(edges, 0u), bits.x, asks_region),
        width > 1u && asked.y && reach(iteration, edge_of(edges, 1u), bits.y, asks_region),
        width > 2u && asked.z && reach(iteration, edge_of(edges, 2u), bits.z, asks_region),
        width > 2u && asked.w && reach(iteration, edge_of(edges, 3u), bits.w, asks_region),
    );
    return is_ours & is_first;
}

/// Returns whether all states are live and of one region, and all edges count.
fn is_one_region(iteration: Iteration) -> bool {
    return iteration.round == 1u && !iteration.is_pruned && iteration.live == params.states;
}

/// Returns whether this is the search of the first round. There is one region then, and all other
/// states are in components. No phase asks which searches have reached those, so they may be marked
/// before it is known where they are.
fn is_first_search(iteration: Iteration) -> bool {
    return iteration.round == 1u && !iteration.is_pruned;
}

/// Marks a state as reached, unless it is asked for, and not of the region. Returns whether this
/// invocation was the first to do so.
fn reach(iteration: Iteration, one: Edge, bit: u32, asks_region: bool) -> bool {
    if asks_region {
        let is_ours = atomicLoad(&regions[one.end]) == one.name;
        if !is_ours || !is_present(iteration, one.entry >> 31u, one.position) {
            return false;
        }
    }
    return mark_reached(one.end, bit);
}

/// TRIM. Returns which ends are trimmed now. Before the first split there is one region, and no
/// phase reads the degrees of trimmed states, so that all edges count.
fn trim(iteration: Iteration, edges: Edges, width: u32, scheduler: u32) -> vec4<bool> {
    let ends = edges.ends;
    let sides = edges.entries >> vec4(31u);
    var counts = edges.is_there;
    if !iteration.is_undivided {
        counts &= load_regions(ends, width) == edges.names;
        let asked = select(counts, edges.is_there, vec4(scheduler == LOCAL_BFS));
        counts &= are_present(iteration, edges, asked, width);
    }
    var before = vec4(0u);
    if counts.x {
        before.x = atomicSub(&degrees[2u * ends.x + sides.x], 1u);
    }
    if width > 1u && counts.y {
        before.y = atomicSub(&degrees[2u * ends.y + sides.y], 1u);
    }
    if width > 2u && counts.z {
        before.z = atomicSub(&degrees[2u * ends.z + sides.z], 1u);
    }
    if width > 2u && counts.w {
        before.w = atomicSub(&degrees[2u * ends.w + sides.w], 1u);
    }
    let loses = counts & (sides == vec4(1u));
    touch_some(ends, loses, width);
    let is_stuck = lose_choices(iteration, edges, loses, width);
    let waits = scheduler != LOCAL_BFS || iteration.is_pruned;
    return vec4(
        (before.x == 1u || is_stuck.x) && enter_trimmed(ends.x, waits),
        width > 1u && (before.y == 1u || is_stuck.y) && enter_trimmed(ends.y, waits),
        width > 2u && (before.z == 1u || is_stuck.z) && enter_trimmed(ends.z, waits),
        width > 2u && (before.w == 1u || is_stuck.w) && enter_trimmed(ends.w, waits),
    );
}

/// Removes the choices that lead to trimmed states, in all rounds of a MEC search but the first.
/// Returns which of the states that they belong to have no way left, so that they are trimmed,
/// though edges of removed choices may leave them.
fn lose_choices(iteration: Iteration, edges: Edges, which: vec4<bool>, width: u32) -> vec4<bool> {
#ifdef CHOICES
    if iteration.is_pruned {
        let at = edges.positions;
        let states = edges.ends;
        return vec4(
            which.x && lose_choice(at.x, states.x),
            width > 1u && which.y && lose_choice(at.y, states.y),
            width > 2u && which.z && lose_choice(at.z, states.z),
            width > 2u && which.w && lose_choice(at.w, states.w),
        );
    }
#endif
    return vec4(false);
}

/// Marks the sources of edges that are cut.
fn touch_some(states: vec4<u32>, which: vec4<bool>, width: u32) {
    if which.x {
        touch(states.x);
    }
    if width > 1u && which.y {
        touch(states.y);
    }
    if width > 2u && which.z {
        touch(states.z);
    }
    if width > 2u && which.w {
        touch(states.w);
    }
}

/// TRIM: a state has no edge left on one side. Returns whether this invocation is to enter it.
///
/// Until choices are pruned, a state may be entered twice, once for either side, so the local BFS
/// does not wait to know: along a path, waiting would be one more access for each state. Nothing
/// depends on it (`docs/algorithms.md`, "Claims"): a counter reaches 0 once, so each entry
/// subtracts the edges of its side once; and where both counters are 0, all neighbours of the same
/// region were trimmed before, so that no phase reads their degrees. An entry that finds its state
/// done, and so cannot tell the region, has nothing left to subtract (`row_to_follow`).
//@ once enter_trimmed(state) if waits: a removed choice may be a state's last, whichever side ends
fn enter_trimmed(state: u32, waits: bool) -> bool {
    if waits {
        return claim_trimmed(state);
    }
    // RESULT UNUSED: until choices are pruned, nothing depends on which invocation was first.
    atomicOr(&regions[state], TRIMMED);
    return true;
}

/// UPDATE_DEGREES.
fn update_degrees(iteration: Iteration, edges: Edges, width: u32) {
    let ends = edges.ends;
    let words = load_regions(ends, width);
    let by = (load_reached(ends, width) >> (2u * (ends % vec4(REACHED_PER_WORD)))) & vec4(3u);
    let is_inside = ((words & vec4(~TRIMMED)) == edges.names) & edges.is_there;
    if is_inside.x {
        update_degree(iteration, edge_of(edges, 0u), by.x);
    }
    if width > 1u && is_inside.y {
        update_degree(iteration, edge_of(edges, 1u), by.y);
    }
    if width > 2u && is_inside.z {
        update_degree(iteration, edge_of(edges, 2u), by.z);
    }
    if width > 2u && is_inside.w {
        update_degree(iteration, edge_of(edges, 3u), by.w);
    }
}

/// UPDATE_DEGREES, for an edge within a region. The searches `by` have reached its end.
fn update_degree(iteration: Iteration, one: Edge, by: u32) {
    let side = one.entry >> 31u;
    let direction = 1u - side;
    let is_cut = by != 1u + side;
    if !is_cut || !is_present(iteration, direction, one.position) {
        return;
    }
    touch(select(one.entry & STATE, one.end, direction == 1u));
    if subtract_edge(one.entry & STATE, side) {
        enqueue(iteration, one.entry);
    }
    if by == 0u && subtract_edge(one.end, direction) {
        enqueue(iteration, one.end | (BACKWARD & ~one.entry));
    }
}

#ifdef CHOICES
/// Returns whether a search has found the component of a state, but it is not known yet whether
/// that is an end component.
fn is_undecided(word: u32) -> bool {
    return (word & (DONE | END_COMPONENT)) == DONE;
}

/// TRIM, for an edge from a live state to a trimmed one. Returns whether this was the live state's
/// last way.
fn lose_choice(position: u32, source: u32) -> bool {
    return remove_choice(back_edge_choices[position]) && subtract_way(source);
}

/// ATTRACTOR, for an edge from `source` to a dead state: removes its choice. Returns whether
/// `source` is dead now. Components that are known to be end components, or not to be, no longer
/// ask what they have lost.
fn attract(position: u32, source: u32) -> bool {
    // Both accesses at once, so that neither waits for the other.
    let word = atomicLoad(&regions[source]);
    let is_first = remove_choice(back_edge_choices[position]);
    if !is_first || !is_undecided(word) {
        return false;
    }
    mark_reduced(word & NAME);
    return subtract_choice(source);
}

/// PRUNE, for an edge of a touched state: removes its choice if it leaves the component.
fn prune(iteration: Iteration, position: u32, component: u32, source: u32, end: u32) {
    if atomicLoad(&regions[end]) == (DONE | component) {
        return;
    }
    if remove_choice(edge_choices[position]) && subtract_choice(source) {
        enqueue(iteration, source | BACKWARD);
    }
}

/// COUNT_DEGREES, for an edge.
fn count_degree(iteration: Iteration, position: u32, source: u32, end: u32) {
    if is_present(iteration, 0u, position) {
        atomicAdd(&degrees[2u * end], 1u);
        atomicAdd(&degrees[2u * source + 1u], 1u);
    }
}
#endif
