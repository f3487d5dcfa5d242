//! Local BFS. If few entries wait, the time of a hop is that of the memory accesses that depend on
//! each other.
//!
//! A workgroup follows its share of the queue hop by hop. The entries of a hop are in one buffer of
//! the frontier (`frontier.wgsl`), and the states that they find go into the other. All data about
//! the end of an edge are read at once, including the position of its own row. So a hop takes two
//! accesses: one to the end of the edge, and one to its data. With INLINE the second access also
//! reads the ends of the edges of short rows, so one access is enough. Then computing between
//! accesses takes as long as waiting for them. So hops of few entries have separate code without a
//! loop, in which several invocations handle each entry.
//!
//!     for each 256 entries of the share:                               local_bfs
//!         until nothing is found, or too much, or for too long:        follow_frontier
//!             visit the edges of this buffer's entries                 expand_frontier, expand_few
//!             swap the buffers
//!         spill the rest
//!
//! flags: CHOICES, INLINE
#import worklist/lib/explore
#import worklist/lib/frontier
#import worklist/lib/mec_rounds
#import worklist/lib/seeds
#import worklist/lib/visit

/// The number of edges of an entry that one invocation visits; all share the rest of longer rows.
const EDGES_ALONE = 4u;

/// The measured time of a hop of up to FEW entries, and of one with more. The workgroups of an
/// iteration should end together, because the next iteration waits for all.
const FEW_HOP = 2u;
const WIDE_HOP = 3u;

/// SIZE is 2 to this power.
const LOG_SIZE = 8u;
const_assert SIZE == 1u << LOG_SIZE;

#ifdef INLINE
/// The number of invocations for each of few entries.
const INVOCATIONS_EACH = SIZE / FEW;
#endif

/// The places where the entries of either buffer are logged.
//@ within log_bases: a buffer is 0 or 1
var<workgroup> log_bases: array<u32, 2>;

/// Explores every so many of the queue's entries: neighbouring entries were found together, and
/// lead to about as many states, so they go to different workgroups.
fn local_bfs(iteration: Iteration, local: u32) {
    let waiting = iteration.end - iteration.head;
    let share = (waiting + iteration.groups - 1u - iteration.group) / iteration.groups;
    for (var next = 0u; next < share; next += SIZE) {
        let count = min(share - next, SIZE);
        if local < count {
            let at = iteration.head + iteration.group + (next + local) * iteration.groups;
            let entry = queue_entry(iteration, at);
            let word = atomicLoad(&regions[entry & STATE]);
            let inlined = load_inline_row(entry >> 31u, entry & STATE);
            let row = row_to_follow(iteration.phase, word, inlined.row);
            store_entry(0u, local, entry, word & NAME, InlineRow(row, inlined.edges));
        }
        workgroupBarrier();
        follow_frontier(iteration, count, local);
    }
}

/// Follows the first `entries` entries of the first buffer, and spills what is left at the end.
fn follow_frontier(iteration: Iteration, entries: u32, local: u32) {
    var count = entries;
    var buffer = 0u;
    var spent = 0u;
    // The number of explored entries that were not in the queue.
    var followed = 0u;
    let is_search = iteration.phase == PHASE_SEARCH;
    let most = WIDE_HOP * select(params.hops, params.search_hops, is_search);
    // The fewer workgroups there are, the sooner it pays to share with others.
    let most_alone = min(max(2u * iteration.groups, 2u * FEW), params.narrow);
    loop {
        let is_logged = is_search && spent != 0u;
        let mine = frontier_entry(buffer, local);
        // The last invocation has an entry of its own only if there are many. It needs the results
        // of these operations only at the end.
        var spilled = 0u;
        var base = 0u;
        if local == SIZE - 1u {
            spilled = atomicLoad(&loop_next.words[CONTROL_ADDED]);
            if is_logged {
                base = atomicAdd(&loop_next.words[CONTROL_FOLLOWED], count);
            }
            atomicStore(&frontier_len[buffer], 0u);
        }
        let alone = expand_hop(iteration, buffer, count, local);
        if local == SIZE - 1u {
            log_bases[buffer] = base;
            if spilled >= params.spill_limit {
                // RESULT UNUSED: the flag is only set, by one invocation.
                atomicOr(&frontier_len[1u - buffer], SPILLED_BY_ALL);
            }
        }
        let found = workgroupUniformLoad(&frontier_len[1u - buffer]);
        if is_logged {
            if local < count {
                queue[log_place(iteration.logged + log_bases[buffer] + local)] = mine;
            }
        }
        var next = found;
        if (found & HAS_LONG_ROWS) != 0u {
            next = expand_long_rows(iteration, buffer, alone, local);
        }
        buffer = 1u - buffer;
        followed += select(count, 0u, spent == 0u);
        spent += select(WIDE_HOP, FEW_HOP, count <= FEW);
        let stays_alone = (found & SPILLED_BY_ALL) == 0u;
        count = min(next & FRONTIER_LEN_MASK, FRONTIER);
        if count == 0u || count > most_alone || spent > most || !stays_alone {
            break;
        }
    }
    if !is_search && local == SIZE - 1u && followed != 0u {
        // RESULT UNUSED: SEARCH counts what it logs, the others only count.
        atomicAdd(&loop_next.words[CONTROL_FOLLOWED], followed);
    }
    spill_frontier(iteration, buffer, count, local);
}

/// Spills the entries of a buffer. A barrier.
fn spill_frontier(iteration: Iteration, buffer: u32, count: u32, local: u32) {
    if local == 0u {
        if count != 0u {
            spill_at = reserve(count);
        }
        atomicStore(&frontier_len[buffer], 0u);
    }
    let base = iteration.end + workgroupUniformLoad(&spill_at);
    if local < count {
        queue[base + local] = frontier_entry(buffer, local);
    }
    workgroupBarrier();
}

/// The logarithm of how many invocations there are for each of `count` entries, a power of two.
fn log_width(count: u32) -> u32 {
    return LOG_SIZE - min(firstLeadingBit(2u * count - 1u), LOG_SIZE);
}

/// Visits the edges of a hop, but the ends of long rows. Returns how many edges of a row were
/// visited.
fn expand_hop(iteration: Iteration, buffer: u32, count: u32, local: u32) -> u32 {
#ifdef INLINE
    if count <= FEW {
        expand_few(iteration, buffer, count, local);
        return INVOCATIONS_EACH;
    }
#endif
    expand_frontier(iteration, buffer, count, local);
    return EDGES_ALONE << log_width(count);
}

/// Visits the edges of the entries of a buffer. What they find goes into the other one.
fn expand_frontier(iteration: Iteration, buffer: u32, count: u32, local: u32) {
    let log = log_width(count);
    let width = 1u << log;
    for (var i = local >> log; i < count; i += SIZE >> log) {
        let own = frontier_row(buffer, i);
        let state = own.entry & STATE;
        let degree = own.row.y - own.row.x;
        let first = local & (width - 1u);
        let is_leader = first == 0u && is_here(own.entry >> 31u, state);
        var word = 0u;
        if is_leader && iteration.phase == PHASE_TRIM {
            word = trimmed_word(state);
        }
        if degree > params.hub_degree {
            if is_leader {
                defer_hub(own.entry, own.name);
            }
        } else {
            let alone = min(degree, EDGES_ALONE << log);
            if iteration.phase == PHASE_ATTRACTOR {
                for (var j = first; j < alone; j += width) {
                    let end = inline_edge(own.entry >> 31u, state, own.row.x, j);
                    visit_next(iteration, 1u - buffer, own, j, end);
                }
            } else {
                for (var j = first; j < alone; j += 2u * width) {
                    let second = j + width;
                    visit_two_next(iteration, 1u - buffer, own, vec2(j, second), second < alone);
                }
            }
            if is_leader && degree > alone {
                defer_long_row(buffer, i);
            }
        }
        if is_leader && iteration.phase == PHASE_TRIM {
            atomicStore(&regions[state], word);
        }
    }
}

/// Visits the edges of long rows from `alone` on, which all invocations share. Returns
/// `frontier_len` of the other buffer. A barrier.
fn expand_long_rows(iteration: Iteration, buffer: u32, alone: u32, local: u32) -> u32 {
    let rows = workgroupUniformLoad(&long_rows_len);
    let log = log_width(rows);
    let width = 1u << log;
    for (var k = local >> log; k < rows; k += SIZE >> log) {
        let own = frontier_row(buffer, scratch[LONG_ROWS_AT + k]);
        let degree = own.row.y - own.row.x;
        for (var j = alone + (local & (width - 1u)); j < degree; j += width) {
            let end = edge(own.entry >> 31u, own.row.x + j);
            visit_next(iteration, 1u - buffer, own, j, end);
        }
    }
    workgroupBarrier();
    if local == 0u {
        atomicStore(&long_rows_len, 0u);
    }
    return workgroupUniformLoad(&frontier_len[1u - buffer]);
}

#ifdef INLINE
/// As `expand_frontier`, for few entries, whose first edges lie beside them.
fn expand_few(iteration: Iteration, buffer: u32, count: u32, local: u32) {
    let i = local / INVOCATIONS_EACH;
    let j = local % INVOCATIONS_EACH;
    if i >= count {
        return;
    }
    let own = frontier_row(buffer, i);
    let state = own.entry & STATE;
    let degree = own.row.y - own.row.x;
    if degree > params.hub_degree {
        if j == 0u {
            defer_hub(own.entry, own.name);
        }
    } else if j < min(degree, INLINE_EDGES) {
        visit_next(iteration, 1u - buffer, own, j, scratch[edge_place(buffer, i, j)]);
    } else if j < degree {
        visit_next(iteration, 1u - buffer, own, j, edge(own.entry >> 31u, own.row.x + j));
    }
    if j == 0u {
        if degree > INVOCATIONS_EACH && degree <= params.hub_degree {
            defer_long_row(buffer, i);
        }
        if iteration.phase == PHASE_TRIM {
            atomicStore(&regions[state], trimmed_word(state));
        }
    }
}
#endif

/// Visits the `j`th edge of an entry, which leads to `end`. What it finds goes into buffer `into`.
fn visit_next(iteration: Iteration, into: u32, own: QueueEntry, j: u32, end: u32) {
    count_visits(1u);
    // Loaded here, and not where it is first used: compilers would not move the load up.
    let inlined = load_inline_row(own.entry >> 31u, end);
    let one = one_edge(own.entry, own.name, own.row.x + j, end);
    if visit(iteration, iteration.phase, one, 1u, LOCAL_BFS).x {
        enqueue_next(iteration, into, end | (own.entry & BACKWARD), own.name, inlined);
    }
}

/// Visits two edges of an entry at once in TRIM or SEARCH, or the first one alone.
fn visit_two_next(
    iteration: Iteration,
    into: u32,
    own: QueueEntry,
    j: vec2<u32>,
    has_second: bool,
) {
    count_visits(1u + u32(has_second));
    let side = own.entry >> 31u;
    let state = own.entry & STATE;
    let second = select(j.x, j.y, has_second);
    let end_x = inline_edge(side, state, own.row.x, j.x);
    let end_y = inline_edge(side, state, own.row.x, second);
    let row_x = load_inline_row(side, end_x);
    let row_y = load_inline_row(side, end_y);
    let two = Edges(
        vec4(true, has_second, false, false),
        vec4(own.entry),
        vec4(own.name),
        vec4(own.row.x) + vec4(j.x, second, j.x, j.x),
        vec4(end_x, end_y, end_x, end_x),
    );
    let found = visit(iteration, iteration.phase, two, 2u, LOCAL_BFS);
    if found.x {
        enqueue_next(iteration, into, end_x | (own.entry & BACKWARD), own.name, row_x);
    }
    if found.y {
        enqueue_next(iteration, into, end_y | (own.entry & BACKWARD), own.name, row_y);
    }
}
