//! Trimming without a transpose, first half (2016 paper, Algorithm 1, line 1): states without an
//! edge to another state of their region are trimmed; the others mark the targets of such edges.
//! One invocation per state.
//!
//! A state with a long row (`fbt/lib/pieces`) is trimmed later. A bit after those of marked states
//! says that it may have no such edge. The variant LONG, which looks only at long rows, clears the
//! bits of states that have one. `trim_unmarked` then trims the others.
//!
//! flags: CHOICES, LONG
//!
//! CHOICES: edges of removed choices do not count.
//! Reads `offsets`, `entries`; what belongs to CHOICES. Shares, by atomics: `results`, each word
//! written by its state's invocation; `marked`, two bits a state.
#import fbt/lib/edges
#import lib/grid
#import lib/loop
#import fbt/lib/results
#import fbt/lib/rows
#import fbt/lib/walk

const SIZE = 256u;

@group(0) @binding(0) var<storage, read> offsets: array<u32>;
@group(0) @binding(1) var<storage, read> entries: array<u32>;
@group(0) @binding(2) var<storage, read_write> results: array<atomic<u32>>;
@group(0) @binding(3) var<storage, read_write> marked: array<atomic<u32>>;
@group(0) @binding(4) var<uniform> rows: Rows;

@compute @workgroup_size(SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) local: u32) {
    walk_rows(rows, grid, local);
}

#ifdef LONG
/// Marks what the edges of a part lead to. The state is suspected no longer if one does.
fn look_in(part: Part, local: u32, groups: u32) {
    let own = atomicLoad(&results[part.state]);
    if !is_active(own) {
        return;
    }
    var stays = false;
    for (var j = part.begin + local; j < part.end; j += SIZE) {
        stays |= mark_target(part.state, own, j);
    }
    if stays {
        // RESULT UNUSED: the bit is only cleared, by any piece of the row.
        atomicAnd(&marked[rows.progress_at + part.state / 32u], ~(1u << (part.state % 32u)));
    }
}
#else
/// Trims state `i`, or marks what it leads to.
fn look_at(i: u32, groups: u32) {
    let own = atomicLoad(&results[i]);
    if is_active(own) && !mark_targets(i, own) {
        atomicStore(&results[i], DONE | i);
        loop_again(groups);
    }
}

/// Marks the states of its region that `i` leads to. Returns whether there are any but itself.
fn mark_targets(i: u32, own: u32) -> bool {
    var stays = false;
    let step = row_step(rows, i);
    let begin = offsets[i] - rows.first_entry;
    let end = offsets[row_end(rows, i)] - rows.first_entry;
    if is_long(rows, i, begin, end) {
        // RESULT UNUSED: the bit is only set, by its state's invocation.
        atomicOr(&marked[rows.progress_at + i / 32u], 1u << (i % 32u));
        return true;
    }
    for (var j = begin; j < end; j += step) {
        if entries[j] == EMPTY {
            break;
        }
        stays |= mark_target(i, own, j);
    }
    return stays;
}
#endif

/// Marks the state that the edge at a position leads to; says whether it is another one of the same
/// region.
fn mark_target(i: u32, own: u32, position: u32) -> bool {
    let edge = entries[position];
    if edge == EMPTY {
        return false;
    }
    let k = state_of(rows, edge);
    if k == i || atomicLoad(&results[k]) != own || !is_live(i, group_of(rows, edge, position)) {
        return false;
    }
    let bit = 1u << (k % 32u);
    if (atomicLoad(&marked[k / 32u]) & bit) == 0u {
        // RESULT UNUSED: the bit is only set, by any state that leads there.
        atomicOr(&marked[k / 32u], bit);
    }
    return true;
}
