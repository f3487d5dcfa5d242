//! One level of the breadth-first searches of all regions (2016 paper, Algorithms 3 to 5): forward,
//! backward over the transpose, or with HYBRID both at once: even workgroups search forward and odd
//! ones backward, in equal numbers. They go on until one of the searches has ended, as in the
//! papers, or until both have; then the workgroups of the first to end have no more work. One
//! invocation per eight states (`fbt/lib/bits`).
//!
//! flags: HYBRID, CACHED, CHOICES, LONG
//!
//! A frontier is one bit per state, so a scan reads an eighth of a byte per state; the papers keep
//! these bits in `offsets`. Neighbouring invocations take neighbouring states, and read their
//! segments together. Most levels have few states: an invocation without states ends after one
//! read.
//!
//!     for each state i in the frontier:  take it out of it             Algorithm 4, lines 3 to 6
//!         if the bound admits i:                                       5.2, BFBT
//!             for each edge i -> k, k in i's region and not marked:    Algorithm 5, lines 7 to 16
//!                 mark k; add k to the frontier; another level         lines 17 to 22
//!
//! CACHED: if there is room, a state that is found is also kept in workgroup memory, and this
//! workgroup explores it before the next level, `hops` times (Algorithm 4, lines 8 to 16, with the
//! index of line 12 corrected). It needs another level only if there was no room. The invocation
//! that takes a state out of the frontier explores it.
//!
//! CHOICES: edges of removed choices do not count.
//!
//! LONG: for rows some of which are long. The workgroup walks a long row together, over several
//! levels if necessary (`fbt/lib/long_rows`); its state stays in the frontier until then.
//! Reads `offsets`, `entries` and, backward, `back_offsets`, `back_entries`; what belongs to
//! CHOICES. Shares, by atomics: `results`, where invocations set marks and no other bit changes;
//! `frontiers`.
#import fbt/lib/bits
#import fbt/lib/edges
#ifdef LONG
#import fbt/lib/long_rows
#endif
#import lib/grid
#import lib/loop
#import fbt/lib/results
#import fbt/lib/rows

/// The number of states that a workgroup keeps.
const CACHE = 1024u;

struct SearchParams {
    /// Forward and backward.
    rows: array<Rows, 2>,
    /// 0 forward, 1 backward; HYBRID does both.
    direction: u32,
    /// BFBT: the mark that states must have to be explored; or 0.
    bound: u32,
    /// The number of words of one direction in `frontiers`.
    words: u32,
    /// The number of levels that are explored in the cache.
    hops: u32,
    /// HYBRID: 1 if it goes on until both searches have ended, 0 if until the first one has.
    until_both: u32,
    padding_0: u32,
    padding_1: u32,
    padding_2: u32,
}

@group(0) @binding(0) var<storage, read> offsets: array<u32>;
@group(0) @binding(1) var<storage, read> entries: array<u32>;
#ifdef HYBRID
@group(0) @binding(2) var<storage, read> back_offsets: array<u32>;
@group(0) @binding(3) var<storage, read> back_entries: array<u32>;
#endif
@group(0) @binding(4) var<storage, read_write> results: array<atomic<u32>>;
@group(0) @binding(5) var<storage, read_write> frontiers: array<atomic<u32>>;
@group(0) @binding(6) var<uniform> params: SearchParams;
#ifdef HYBRID
#ifdef CHOICES
@group(0) @binding(13) var<storage, read> back_groups: array<u32>;
#endif
#endif

#ifdef CACHED
/// A state and 1, or 0 where none is kept.
var<workgroup> cache: array<atomic<u32>, CACHE>;
/// The last hop for which a state was kept.
var<workgroup> last_kept: atomic<u32>;
#endif

@compute @workgroup_size(SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) local: u32) {
#ifdef HYBRID
    let direction = grid.workgroup.x % 2u;
    // The record's words say which searches asked for this level.
    if params.until_both == 1u && loop_now.words[direction] == 0u {
        return;
    }
    scan(direction, grid.workgroup.x / 2u, grid.count.x / 2u, grid.count.x, local);
#else
    let direction = params.direction;
    scan(direction, grid.workgroup.x, grid.count.x, grid.count.x, local);
#endif
#ifdef CACHED
    for (var hop = 1u; hop <= workgroupUniformLoad(&last_kept); hop += 1u) {
        for (var slot = local; slot < CACHE; slot += SIZE) {
            let kept = atomicExchange(&cache[slot], 0u);
            if kept == 0u {
                continue;
            }
            let state = kept - 1u;
            if take(direction * params.words + word_of(state), bit_of(state)) != 0u {
                explore(direction, state, hop, grid.count.x);
            }
        }
    }
#endif
#ifdef LONG
    explore_long(direction, grid.count.x, local);
#endif
}

/// Explores the frontier in one direction, as one of the workgroups that do; `all` are to run the
/// next level.
fn scan(direction: u32, group: u32, groups: u32, all: u32, local: u32) {
    let rows = params.rows[direction];
    let first_block = rows.first_state / BLOCK + group;
    for (var block = first_block; block * BLOCK < rows.end_state; block += groups) {
        let shift = own_shift(local);
        let at = direction * params.words + own_word(block, local);
        if ((atomicLoad(&frontiers[at]) >> shift) & 0xffu) == 0u {
            continue;
        }
        let own = own_bits(block, local, rows.first_state, rows.end_state);
        let taken = take(at, own << shift) >> shift;
        for (var k = 0u; k < 8u; k += 1u) {
            if (taken & (1u << k)) != 0u {
                explore(direction, own_state(block, local, k), 0u, all);
            }
        }
    }
}

/// Takes states out of the frontier. Returns which of them were there.
fn take(at: u32, bits: u32) -> u32 {
    return atomicAnd(&frontiers[at], ~bits) & bits;
}

fn mark_of(direction: u32) -> u32 {
    return select(BACKWARD_MARK, FORWARD_MARK, direction == 0u);
}

fn offset(direction: u32, state: u32) -> u32 {
#ifdef HYBRID
    if direction == 1u {
        return back_offsets[state];
    }
#endif
    return offsets[state];
}

fn entry(direction: u32, position: u32) -> u32 {
#ifdef HYBRID
    if direction == 1u {
        return back_entries[position];
    }
#endif
    return entries[position];
}

/// Returns whether an entry of state `i`'s row is an edge of the live graph.
fn is_edge(direction: u32, i: u32, entry: u32, position: u32) -> bool {
    let rows = params.rows[direction];
#ifdef HYBRID
#ifdef CHOICES
    if direction == 1u && rows.groups_apart == 1u {
        return is_live(state_of(rows, entry), back_groups[position]);
    }
#endif
#endif
    let source = select(state_of(rows, entry), i, direction == 0u);
    return is_live(source, group_of(rows, entry, position));
}

/// Explores the row of state `i` in one direction (2016 paper, Algorithm 5).
fn explore(direction: u32, i: u32, hop: u32, groups: u32) {
    let rows = params.rows[direction];
    let own = atomicLoad(&results[i]);
    let begin = offset(direction, i) - rows.first_entry;
    let end = offset(direction, row_end(rows, i)) - rows.first_entry;
    let is_bounded = (own & params.bound) != params.bound;
#ifdef LONG
    if is_long(rows, i, begin, end) {
        if is_bounded {
            // It may have been begun by the search without a bound.
            atomicStore(&frontiers[progress_of(rows, begin)], 0u);
        } else if !keep_long(i) {
            wait(direction, i, groups);
        }
        return;
    }
#endif
    if is_bounded {
        return;
    }
    let step = row_step(rows, i);
    for (var j = begin; j < end; j += step) {
        let edge = entry(direction, j);
        if edge == EMPTY {
            break;
        }
        follow(direction, i, own & REGION, edge, j, hop, groups);
    }
}

/// An edge of state `i`, which is in region `wanted`.
fn follow(direction: u32, i: u32, wanted: u32, edge: u32, position: u32, hop: u32, groups: u32) {
    let mark = mark_of(direction);
    let k = state_of(params.rows[direction], edge);
    let seen = atomicLoad(&results[k]) & (REGION | mark);
    if seen != wanted || !is_edge(direction, i, edge, position) {
        return;
    }
    if (atomicOr(&results[k], mark) & mark) == 0u {
        add(direction, k, hop, groups);
    }
}
#ifdef LONG

/// Explores the states that were kept, together.
fn explore_long(direction: u32, groups: u32, local: u32) {
    let rows = params.rows[direction];
    let count = kept_long();
    var budget = LONG_BUDGET;
    for (var at = 0u; at < count; at += 1u) {
        let i = workgroupUniformLoad(&long_states[at]);
        let begin = offset(direction, i) - rows.first_entry;
        let length = offset(direction, i + 1u) - rows.first_entry - begin;
        let progress = progress_of(rows, begin);
        let slice = slice_of(atomicLoad(&frontiers[progress]), length, budget, local);
        let wanted = atomicLoad(&results[i]) & REGION;
        for (var j = begin + slice.x + local; j < begin + slice.y; j += SIZE) {
            let edge = entry(direction, j);
            if edge != EMPTY {
                follow(direction, i, wanted, edge, j, params.hops, groups);
            }
        }
        budget -= slice.y - slice.x;
        if local == 0u {
            atomicStore(&frontiers[progress], select(slice.y, 0u, slice.y == length));
            if slice.y < length {
                wait(direction, i, groups);
            }
        }
    }
}

/// Leaves a state in the frontier, as the next level is to go on with it.
fn wait(direction: u32, state: u32, groups: u32) {
    // RESULT UNUSED: the bit is only set, by the workgroup that took it.
    atomicOr(&frontiers[direction * params.words + word_of(state)], bit_of(state));
    go_on(direction, groups);
}
#endif

/// Adds a state to the frontier.
fn add(direction: u32, state: u32, hop: u32, groups: u32) {
    // RESULT UNUSED: the bit is only set; whoever marked the state first comes here.
    atomicOr(&frontiers[direction * params.words + word_of(state)], bit_of(state));
#ifdef CACHED
    let rows = params.rows[direction];
    let bound = state >= rows.first_state && state < rows.end_state;
    if hop < params.hops && bound && store_in_cache(state, hop) {
        return;
    }
#endif
    go_on(direction, groups);
}

/// Asks for another level.
fn go_on(direction: u32, groups: u32) {
#ifdef HYBRID
    if params.until_both == 1u {
        if atomicLoad(&loop_next.words[direction]) == 0u {
            // RESULT UNUSED: the word is only set.
            atomicMax(&loop_next.words[direction], 1u);
        }
    } else if direction == 1u {
        // x goes on for the forward search and y for the backward one: the product is 0 as soon as
        // one of them has ended.
        if atomicLoad(&loop_next.y) == 0u {
            atomicMax(&loop_next.y, 1u);
        }
        return;
    }
#endif
    loop_again(groups);
}
#ifdef CACHED

/// Keeps a state for the next hop, if its slot is free. A spurious failure only costs a level.
fn store_in_cache(state: u32, hop: u32) -> bool {
    if !atomicCompareExchangeWeak(&cache[state % CACHE], 0u, state + 1u).exchanged {
        return false;
    }
    if atomicLoad(&last_kept) <= hop {
        atomicMax(&last_kept, hop + 1u);
    }
    return true;
}
#endif
