//! One iteration of trimming, along the rows of one direction (2016 paper, Algorithm 1, line 1).
//! One invocation per eight states (`fbt/lib/bits`).
//!
//! A state is trimmed, that is, it becomes a component by itself, once no edge of the direction
//! leads to another state of its region. Looking at every state in every iteration would cost a
//! scan of all edges for each level of the graph. So a state is checked again only when it may have
//! changed. `checks` has a bit for each state to be checked. `tells` has a bit for each state that
//! was trimmed because it had no edges of the *other* direction: its neighbours in this direction
//! must be checked against the other. The two directions take turns.
//!
//!     for each state i in tells[direction]:    for each edge i -> k, k active:  checks[other] += k
//!     for each state i in checks[direction]:   if no edge i -> k stays in i's region, k != i:
//!                                                  results[i] = done;  tells[other] += i
//!
//! flags: CHOICES, LONG
//!
//! CHOICES: edges of removed choices do not count. (They may still cause a useless check.) LONG:
//! for rows some of which are long. The workgroup walks a long row together, over several
//! iterations if necessary (`fbt/lib/long_rows`); its state keeps its bit until then. A check
//! starts where the last one of this loop ended: an edge that has left the region never returns.
//!
//! Reads `offsets`, `entries`; what belongs to CHOICES. Shares, by atomics: `results`, each word of
//! which is written by the invocation that took the state's bit; `checks`, `tells`.
#import fbt/lib/bits
#import fbt/lib/edges
#ifdef LONG
#import fbt/lib/long_rows
#endif
#import lib/grid
#import lib/loop
#import fbt/lib/results
#import fbt/lib/rows
#import fbt/lib/tell

struct TrimParams {
    rows: Rows,
    /// 0 forward, 1 backward.
    direction: u32,
    /// The number of words of one direction in `checks` and `tells`.
    words: u32,
    padding_0: u32,
    padding_1: u32,
}

@group(0) @binding(0) var<storage, read> offsets: array<u32>;
@group(0) @binding(1) var<storage, read> entries: array<u32>;
@group(0) @binding(2) var<storage, read_write> results: array<atomic<u32>>;
@group(0) @binding(3) var<storage, read_write> checks: array<atomic<u32>>;
@group(0) @binding(4) var<storage, read_write> tells: array<atomic<u32>>;
@group(0) @binding(5) var<uniform> params: TrimParams;
#ifdef LONG

/// In `long_states`: the state is to be checked, not to tell.
const IS_CHECKED = 0x80000000u;
const NOWHERE = 0xffffffffu;

/// The place of the first edge that stays in the region of the long row's state.
var<workgroup> stays_at: atomic<u32>;
#endif

@compute @workgroup_size(SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) local: u32) {
    let shift = own_shift(local);
    let first_block = params.rows.first_state / BLOCK + grid.workgroup.x;
    for (var block = first_block; block * BLOCK < params.rows.end_state; block += grid.count.x) {
        let at = params.direction * params.words + own_word(block, local);
        var told = (atomicLoad(&tells[at]) >> shift) & 0xffu;
        var checked = (atomicLoad(&checks[at]) >> shift) & 0xffu;
        if (told | checked) == 0u {
            continue;
        }
        let own = own_bits(block, local, params.rows.first_state, params.rows.end_state);
        told &= own;
        checked &= own;
        // RESULT UNUSED: the bits are this invocation's; this dispatch sets those of the other
        // direction.
        atomicAnd(&tells[at], ~(told << shift));
        // RESULT UNUSED: the same.
        atomicAnd(&checks[at], ~(checked << shift));
        for (var k = 0u; k < 8u; k += 1u) {
            let i = own_state(block, local, k);
            if (told & (1u << k)) != 0u {
                tell_row(params.rows, i, grid.count.x);
            }
            if (checked & (1u << k)) != 0u {
                check(i, grid.count.x);
            }
        }
    }
#ifdef LONG
    walk_long(grid.count.x, local);
#endif
}

/// The other end of an edge has to be checked against the other direction.
fn tell_entry(entry: u32, position: u32, groups: u32) {
    let k = state_of(params.rows, entry);
    if is_active(atomicLoad(&results[k])) {
        let other = (1u - params.direction) * params.words;
        // RESULT UNUSED: the bit is only set: several invocations may ask for a check.
        atomicOr(&checks[other + word_of(k)], bit_of(k));
        loop_again(groups);
    }
}

fn check(i: u32, groups: u32) {
    let own = atomicLoad(&results[i]);
    if !is_active(own) {
        return;
    }
    let step = row_step(params.rows, i);
    let begin = offsets[i] - params.rows.first_entry;
    let end = offsets[row_end(params.rows, i)] - params.rows.first_entry;
#ifdef LONG
    if is_long(params.rows, i, begin, end) {
        if !keep_long(i | IS_CHECKED) {
            wait(i | IS_CHECKED, groups);
        }
        return;
    }
#endif
    for (var j = begin; j < end; j += step) {
        let edge = entries[j];
        if edge == EMPTY {
            break;
        }
        if stays(i, own, edge, j) {
            return;
        }
    }
    trim(i, groups);
}

/// Returns whether an edge of state `i`, whose word is `own`, leads to another state of its region.
fn stays(i: u32, own: u32, edge: u32, position: u32) -> bool {
    let k = state_of(params.rows, edge);
    if k == i || atomicLoad(&results[k]) != own {
        return false;
    }
    return is_live(select(k, i, params.direction == 0u), group_of(params.rows, edge, position));
}

fn trim(i: u32, groups: u32) {
    atomicStore(&results[i], DONE | i);
    let other = (1u - params.direction) * params.words;
    // RESULT UNUSED: the bit is only set, by its state's invocation.
    atomicOr(&tells[other + word_of(i)], bit_of(i));
    loop_again(groups);
}
#ifdef LONG

/// Leaves a state for the next iteration, to tell or to be checked.
fn wait(kept: u32, groups: u32) {
    let state = kept & ~IS_CHECKED;
    let at = params.direction * params.words + word_of(state);
    if (kept & IS_CHECKED) != 0u {
        // RESULT UNUSED: the bit is only set, by the workgroup that took it.
        atomicOr(&checks[at], bit_of(state));
    } else {
        // RESULT UNUSED: the bit is only set, by the workgroup that took it.
        atomicOr(&tells[at], bit_of(state));
    }
    loop_again(groups);
}

/// Tells and checks the states that were kept, together.
fn walk_long(groups: u32, local: u32) {
    let count = kept_long();
    var budget = LONG_BUDGET;
    for (var at = 0u; at < count; at += 1u) {
        let kept = workgroupUniformLoad(&long_states[at]);
        let i = kept & ~IS_CHECKED;
        if (kept & IS_CHECKED) == 0u {
            budget = tell_long_row(params.rows, i, budget, groups, local);
        } else {
            budget = check_long_row(i, budget, groups, local);
        }
    }
}

/// Checks a state that was kept, from where the last iteration has stopped, and at most `budget`
/// entries of its row. Returns what is left of the budget.
fn check_long_row(i: u32, budget: u32, groups: u32, local: u32) -> u32 {
    let begin = offsets[i] - params.rows.first_entry;
    let length = offsets[i + 1u] - params.rows.first_entry - begin;
    let progress = progress_of(params.rows, begin);
    if local == 0u {
        atomicStore(&stays_at, NOWHERE);
    }
    let slice = slice_of(atomicLoad(&checks[progress]), length, budget, local);
    look_for_stay(i, begin, slice, local);
    let found = workgroupUniformLoad(&stays_at);
    if local == 0u {
        end_check(i, found, vec3(progress, slice.y, length), groups);
    }
    return budget - (slice.y - slice.x);
}

/// Looks for an edge that stays in the region of state `i`, in a part of its row.
fn look_for_stay(i: u32, begin: u32, slice: vec2<u32>, local: u32) {
    let own = atomicLoad(&results[i]);
    for (var at = slice.x + local; at < slice.y && atomicLoad(&stays_at) == NOWHERE; at += SIZE) {
        let edge = entries[begin + at];
        if edge != EMPTY && stays(i, own, edge, begin + at) {
            // RESULT UNUSED: only the least is wanted, which is read after a barrier.
            atomicMin(&stays_at, at);
        }
    }
}

/// Ends the check of a part of a long row. `row` is the word that says how far the row was checked,
/// how far that is now, and the length of the row.
fn end_check(i: u32, found: u32, row: vec3<u32>, groups: u32) {
    if found != NOWHERE {
        // Other invocations may have stopped before they looked at earlier edges, so the next check
        // begins at the same place.
        return;
    }
    if row.y == row.z {
        trim(i, groups);
        return;
    }
    atomicStore(&checks[row.x], row.y);
    wait(i | IS_CHECKED, groups);
}
#endif
