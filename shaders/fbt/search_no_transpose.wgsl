//! One level of the backward searches over the original graph, if there is no transpose (2016
//! paper, 5.2): each unmarked state looks for an edge to a marked state of its region. One
//! invocation per state.
//!
//! flags: HYBRID, CHOICES, LONG
//!
//! HYBRID: takes turns with the forward search; asks for another level by y. LONG: handles the
//! states with long rows (`fbt/lib/pieces`), one workgroup per piece of a row.
//!
//! CHOICES: edges of removed choices do not count. Regions that are left over without a candidate
//! are skipped: the component of the pivot that they are named after may be one edge away.
//!
//! Reads `offsets`, `entries`; what belongs to CHOICES. Shares, by atomics: `results`, where a
//! state's invocation sets its mark and no other bit changes.
#import fbt/lib/edges
#import lib/grid
#import lib/loop
#import fbt/lib/results
#import fbt/lib/rows
#import fbt/lib/walk

const SIZE = 256u;

struct PullParams {
    rows: Rows,
    /// BFBT: the mark that states must have to be explored; or 0.
    bound: u32,
    padding_0: u32,
    padding_1: u32,
    padding_2: u32,
}

@group(0) @binding(0) var<storage, read> offsets: array<u32>;
@group(0) @binding(1) var<storage, read> entries: array<u32>;
//@ monotone results: marks are only set, of states that lead to a mark
@group(0) @binding(2) var<storage, read_write> results: array<atomic<u32>>;
@group(0) @binding(3) var<uniform> params: PullParams;

@compute @workgroup_size(SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) local: u32) {
    walk_rows(params.rows, grid, local);
}

#ifdef LONG
/// Marks the state of a part if an edge of it leads to a marked state.
fn look_in(part: Part, local: u32, groups: u32) {
    let own = atomicLoad(&results[part.state]);
    if (own & (LOCK | BACKWARD_MARK)) != 0u {
        return;
    }
    for (var j = part.begin + local; j < part.end; j += SIZE) {
        if is_to_marked(part.state, own & REGION, j) {
            // RESULT UNUSED: the mark is only set, by any edge of the row.
            atomicOr(&results[part.state], BACKWARD_MARK);
            go_on(groups);
            return;
        }
    }
}
#else
/// Marks state `i` if it leads to a marked state.
fn look_at(i: u32, groups: u32) {
    let own = atomicLoad(&results[i]);
    if (own & (LOCK | BACKWARD_MARK)) == 0u && leads_to_marked(i, own & REGION) {
        // RESULT UNUSED: the mark is only set, by its state's invocation.
        atomicOr(&results[i], BACKWARD_MARK);
        go_on(groups);
    }
}

fn leads_to_marked(i: u32, region: u32) -> bool {
    let step = row_step(params.rows, i);
    let begin = offsets[i] - params.rows.first_entry;
    let end = offsets[row_end(params.rows, i)] - params.rows.first_entry;
    if is_long(params.rows, i, begin, end) {
        return false;
    }
    for (var j = begin; j < end; j += step) {
        if entries[j] == EMPTY {
            break;
        }
        if is_to_marked(i, region, j) {
            return true;
        }
    }
    return false;
}
#endif

/// Returns whether the edge at a position leads from state `i`, in `region`, to a state there that
/// is marked.
fn is_to_marked(i: u32, region: u32, position: u32) -> bool {
    let edge = entries[position];
    if edge == EMPTY {
        return false;
    }
    let wanted = region | BACKWARD_MARK | params.bound;
    let seen = atomicLoad(&results[state_of(params.rows, edge)]);
    let is_wanted = (seen & (REGION | BACKWARD_MARK | params.bound)) == wanted;
    return is_wanted && is_live(i, group_of(params.rows, edge, position));
}

fn go_on(groups: u32) {
#ifdef HYBRID
    if atomicLoad(&loop_next.y) == 0u {
        atomicMax(&loop_next.y, 1u);
    }
#else
    loop_again(groups);
#endif
}
