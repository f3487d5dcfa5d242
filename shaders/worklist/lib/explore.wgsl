//! The global queue: each workgroup explores its share of the queue, then the states that it found.
//!
//! Neither trimming nor reachability has to go level by level. So a workgroup goes on with the
//! entries of its workgroup queue. It spills them when they become too many for one workgroup, or
//! after some hops. Edges are distributed evenly over invocations, regardless of their rows
//! (`expansion.wgsl`).
//!
//!     loop:
//!         take up to 256 entries of the share, or else of the workgroup queue         explore
//!         lay out their rows; all invocations visit the same number of edges          expand
//!
//! flags: CHOICES
#import worklist/lib/expansion
#import worklist/lib/mec_rounds
#import worklist/lib/seeds
#import worklist/lib/visit

var<workgroup> log_base: u32;

/// Loads the data of an entry of the queue.
fn load_entry(iteration: Iteration, entry: u32) -> QueueEntry {
    let state = entry & STATE;
    var word = 0u;
    if iteration.phase != PHASE_SEARCH || !is_one_region(iteration) {
        word = atomicLoad(&regions[state]);
    }
    let all = row(direction_of(iteration.phase, entry), state);
    return QueueEntry(entry, word & NAME, row_to_follow(iteration.phase, word, all));
}

/// Lays out the row of an entry, or defers it if its state is a hub. Returns where its edges are.
fn open(iteration: Iteration, own: QueueEntry, local: u32) -> vec2<u32> {
    let entry = own.entry;
    let state = entry & STATE;
    if !is_bound(direction_of(iteration.phase, entry), state) {
        return vec2(0u);
    }
    // Read before it is known where the row lies.
    let is_done = iteration.phase == PHASE_UPDATE_DEGREES && reached_by(state) == 3u;
    if iteration.phase == PHASE_TRIM {
        atomicStore(&regions[state], trimmed_word(state));
    }
    let degree = own.row.y - own.row.x;
    if degree == 0u || is_done {
        return vec2(0u);
    }
    if degree > params.hub_degree {
        defer_hub(entry, own.name);
        return vec2(0u);
    }
    return lay_out(own.row, entry, own.name, local);
}

/// Visits the edges of a batch of entries, one entry for each of the first `batch` invocations. A
/// barrier has to follow; after it, `log_base` says where to log the entries.
fn expand(iteration: Iteration, entry: QueueEntry, batch: u32, is_logged: bool, local: u32) {
    // The last invocation has no entry of its own unless there are very many. It needs the results
    // of these operations only at the end.
    var spilled = 0u;
    var base = 0u;
    if local == SIZE - 1u {
        spilled = atomicLoad(&loop_next.words[CONTROL_ADDED]);
        if is_logged {
            base = atomicAdd(&loop_next.words[CONTROL_FOLLOWED], batch);
        }
    }
    var own = vec2(0u);
    if local < batch {
        own = open(iteration, entry, local);
    }
    let edges = workgroupUniformLoad(&expanded);
    for (var window = 0u; window < edges; window += WINDOW) {
        fill_window(own, window, local);
        visit_window(iteration, window, edges, local);
    }
    // A barrier comes before these are used again.
    if local == 0u {
        atomicStore(&expanded, 0u);
    }
    if local == SIZE - 1u {
        spilled_by_all = spilled;
        log_base = base;
    }
}

/// Visits an invocation's edges of a window.
fn visit_window(iteration: Iteration, window: u32, edges: u32, local: u32) {
    if iteration.phase == PHASE_SEARCH || iteration.phase == PHASE_UPDATE_DEGREES {
        if window + local >= edges {
            return;
        }
        let four = four_edges(iteration.phase, window, edges, local);
        if iteration.phase == PHASE_SEARCH {
            let found = search(iteration, four, 4u, GLOBAL_QUEUE);
            enqueue_four(iteration, four.ends | (four.entries & vec4(BACKWARD)), found);
        } else {
            update_degrees(iteration, four, 4u);
        }
        return;
    }
    for (var j = window + local; j < min(edges, window + WINDOW); j += SIZE) {
        let source = owner_of(j - window);
        visit_one(iteration, iteration.phase, source.item, source.name, source.base + j);
    }
}

/// Visits one edge of an entry.
fn visit_one(iteration: Iteration, phase: u32, entry: u32, name: u32, position: u32) {
    count_visits(1u);
    let end = edge(direction_of(phase, entry), position);
    let one = one_edge(entry, name, position, end);
    switch phase {
        case PHASE_TRIM, PHASE_SEARCH: {
            if visit(iteration, phase, one, 1u, GLOBAL_QUEUE).x {
                enqueue(iteration, end | (entry & BACKWARD));
            }
        }
#ifdef CHOICES
        case PHASE_ATTRACTOR, PHASE_PRUNE: {
            // The hubs that PRUNE has deferred, which go forward, are expanded in ATTRACTOR.
            if (entry & BACKWARD) == 0u {
                prune(iteration, position, name, entry & STATE, end);
            } else if visit(iteration, PHASE_ATTRACTOR, one, 1u, GLOBAL_QUEUE).x {
                enqueue(iteration, end | BACKWARD);
            }
        }
        case PHASE_COUNT_DEGREES: {
            count_degree(iteration, position, entry & STATE, end);
        }
#endif
        default: {
            update_degrees(iteration, one, 1u);
        }
    }
}

/// Explores the workgroup's share of the queue, or of the states that a phase goes through.
fn explore(iteration: Iteration, local: u32) {
    let portion = portion_of(iteration);
    var next = portion.next;
    let stop = portion.stop;
    var hop = 0u;
    // The batch that is still to be logged.
    var unlogged = 0u;
    var unlogged_entry = 0u;
    loop {
        let is_found = next >= stop;
        var batch = select(min(stop - next, SIZE), 0u, is_found);
        var entry = QueueEntry(0u, 0u, vec2(0u));
        if is_found {
            let spilled = workgroupUniformLoad(&spilled_by_all);
            if local < unlogged {
                queue[log_place(iteration.logged + log_base + local)] = unlogged_entry;
            }
            let count = workgroup_queue_length();
            let is_little = count <= params.narrow && spilled < params.spill_limit;
            let most_hops = select(params.hops, 0u, is_widening(iteration));
            let goes_on = is_transitive(iteration.phase) && hop < most_hops && is_little;
            if count == 0u || !goes_on {
                break;
            }
            batch = min(count, SIZE);
            let found = dequeue(count, batch, local);
            if local < batch {
                entry = load_entry(iteration, found);
            }
            hop += 1u;
        } else {
            spill(iteration, SPILL_ABOVE, local);
            if local < batch {
                entry = load_item(iteration, next + local);
            }
            next += portion.stride;
        }
        let is_logged = is_found && iteration.phase == PHASE_SEARCH;
        expand(iteration, entry, batch, is_logged, local);
        unlogged = select(0u, batch, is_logged);
        unlogged_entry = entry.entry;
    }
}

/// The items of a workgroup, in batches that begin `stride` apart.
struct Portion {
    next: u32,
    stop: u32,
    stride: u32,
}

/// Returns an even share of the entries to be explored; in UPDATE_DEGREES, of all entries of a
/// search, and of its log. In other phases, batches of states that lie far apart, because the
/// states that matter lie close together.
fn portion_of(iteration: Iteration) -> Portion {
    var all = vec2(iteration.head, iteration.end);
    if iteration.phase == PHASE_UPDATE_DEGREES {
        all = vec2(iteration.start, iteration.end + iteration.logged);
    } else if !is_transitive(iteration.phase) {
        return Portion(iteration.group * SIZE, params.states, iteration.groups * SIZE);
    }
    let share = (all.y - all.x + iteration.groups - 1u) / iteration.groups;
    let next = min(all.x + iteration.group * share, all.y);
    return Portion(next, min(next + share, all.y), SIZE);
}

/// Loads the item at an index of a phase.
fn load_item(iteration: Iteration, index: u32) -> QueueEntry {
#ifdef CHOICES
    if iteration.phase == PHASE_PRUNE {
        return load_touched(index);
    }
    if iteration.phase == PHASE_COUNT_DEGREES {
        return load_live(index);
    }
#endif
    if index < iteration.end {
        return load_entry(iteration, queue_entry(iteration, index));
    }
    // Past the end of the queue: an entry of the log.
    return load_entry(iteration, queue[log_place(index - iteration.end)]);
}

/// Visits this workgroup's part of the rows of hubs that the iteration before has deferred.
fn expand_hubs(iteration: Iteration, local: u32) {
    let phase = phase_of_hubs(iteration);
    for (var i = 0u; i < iteration.hubs; i += 1u) {
        let hub = deferred_hub(i);
        let edges = row_of_hub(direction_of(phase, hub.x), hub.x & STATE, local);
        let stride = iteration.groups * WINDOW;
        for (var base = edges.x + iteration.group * WINDOW; base < edges.y; base += stride) {
            for (var j = base + local; j < min(edges.y, base + WINDOW); j += SIZE) {
                visit_one(iteration, phase, hub.x, hub.y, j);
            }
            spill(iteration, SPILL_ABOVE, local);
        }
    }
}

/// Returns the phase that has deferred the hubs.
fn phase_of_hubs(iteration: Iteration) -> u32 {
    switch iteration.phase {
        case PHASE_RELABEL: {
            return PHASE_UPDATE_DEGREES;
        }
        case PHASE_FIND_TRIMMED: {
            return PHASE_COUNT_DEGREES;
        }
        default: {
            return iteration.phase;
        }
    }
}
