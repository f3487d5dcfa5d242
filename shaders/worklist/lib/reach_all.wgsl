//! The search that takes the whole graph for one component: one region, all of whose edges count.
//!
//! It does only what `explore.wgsl` does in SEARCH. A wide search spends most of its time
//! waiting for memory. The less memory a kernel uses, the more workgroups wait at the same
//! time.
#import worklist/lib/expansion
#import worklist/lib/queue
#import worklist/lib/visit

/// Explores the workgroup's share of the queue, then what it has found itself.
fn reach_all(iteration: Iteration, local: u32) {
    let waiting = iteration.end - iteration.head;
    let share = (waiting + iteration.groups - 1u) / iteration.groups;
    var next = min(iteration.head + iteration.group * share, iteration.end);
    let stop = min(next + share, iteration.end);
    var hop = 0u;
    loop {
        var batch = min(stop - next, SIZE);
        var entry = 0u;
        if batch != 0u {
            spill(iteration, SPILL_ABOVE, local);
            if local < batch {
                entry = queue[next + local];
            }
            next += batch;
        } else {
            let spilled = workgroupUniformLoad(&spilled_by_all);
            let count = workgroup_queue_length();
            let is_little = count <= params.narrow && spilled < params.spill_limit;
            if count == 0u || !is_little || hop >= params.hops {
                break;
            }
            batch = min(count, SIZE);
            entry = dequeue(count, batch, local);
            if local == 0u {
                atomicAdd(&loop_next.words[CONTROL_FOLLOWED], batch);
            }
            hop += 1u;
        }
        reach_batch(iteration, entry, batch, local);
    }
}

/// Visits the edges of a batch of entries, one entry for each of the first `batch` invocations. A
/// barrier has to follow.
fn reach_batch(iteration: Iteration, entry: u32, batch: u32, local: u32) {
    var own = vec2(0u);
    if local < batch {
        own = reach_row(entry, local);
    }
    let edges = workgroupUniformLoad(&expanded);
    for (var window = 0u; window < edges; window += WINDOW) {
        fill_window(own, window, local);
        if window + local < edges {
            let four = four_edges(PHASE_SEARCH, window, edges, local);
            let found = search(iteration, four, 4u, REACH_ALL);
            enqueue_four(iteration, four.ends | (four.entries & vec4(BACKWARD)), found);
        }
    }
    // A barrier comes before these are used again.
    if local == 0u {
        atomicStore(&expanded, 0u);
        spilled_by_all = atomicLoad(&loop_next.words[CONTROL_ADDED]);
    }
}

/// Lays out the row of an entry, or defers it if its state is a hub. Returns where its edges are.
fn reach_row(entry: u32, local: u32) -> vec2<u32> {
    let row = row(entry >> 31u, entry & STATE);
    let degree = row.y - row.x;
    if degree == 0u {
        return vec2(0u);
    }
    if degree > params.hub_degree {
        defer_hub(entry, 0u);
        return vec2(0u);
    }
    return lay_out(row, entry, 0u, local);
}

/// Visits this workgroup's part of the rows of hubs that the iteration before has deferred.
fn reach_from_hubs(iteration: Iteration, local: u32) {
    for (var i = 0u; i < iteration.hubs; i += 1u) {
        let entry = deferred_hub(i).x;
        let edges = row_of_hub(entry >> 31u, entry & STATE, local);
        let stride = iteration.groups * WINDOW;
        for (var base = edges.x + iteration.group * WINDOW; base < edges.y; base += stride) {
            for (var j = base + local; j < min(edges.y, base + WINDOW); j += SIZE) {
                count_visits(1u);
                let one = one_edge(entry, 0u, j, edge(entry >> 31u, j));
                if search(iteration, one, 1u, REACH_ALL).x {
                    enqueue(iteration, one.ends.x | (entry & BACKWARD));
                }
            }
            spill(iteration, SPILL_ABOVE, local);
        }
    }
}
