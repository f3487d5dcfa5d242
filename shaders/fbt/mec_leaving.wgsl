//! Removes the choices that leave their component: the scan for the sets U of the papers' MEC
//! algorithm (2016 paper, Algorithm 7; 2014 paper, 2.3, step 1), which also finds the states that
//! have no choice left. One invocation per state.
//!
//! flags: PULL, LONG
//!
//!     for each state i that is not finished:                                   line 3
//!         for each choice of i that is not removed:                            lines 9 to 21
//!             if some target is not in i's component:                          line 22
//!                 remove the choice; i's component has lost one; i is a candidate
//!         if i has no choice left:  i is in U, see mec_starve.wgsl              lines 24 to 27
//!
//! The papers only look for states all of whose choices leave, and still count the edges of leaving
//! choices of other states; that is too weak (docs/algorithms.md). Three more errors are corrected:
//! a state without choices is in U (`found` stays 2 for it); a target in a finished component is
//! outside (line 15 skips it); and one bit per component, by its name, says whether it lost a
//! choice, not a lock on `trans[name]`, which may be in another shard or not exist.
//!
//! PULL: replaces mec_attract.wgsl if there is no transpose. Dead states are in no component, so a
//! repetition removes the choices that may lead to them. It looks only at components that have lost
//! a choice or a state.
//!
//! LONG: handles states with long rows (`fbt/lib/pieces`), edge by edge. mec_starve.wgsl checks
//! whether one of their choices is left, even if they have lost none. Reads `offsets`, `entries`,
//! `choice_offsets`, `groups`, `results`, `mecs`. Shares, by atomics: `removed`, a bit per choice;
//! `lost` and `several`, a bit per component by its name; `candidates` and `checks`, a bit per
//! state.
#import fbt/lib/bits
#import fbt/lib/choices
#import lib/grid
#ifdef PULL
#import lib/loop
#endif
#import fbt/lib/results
#import fbt/lib/rows
#import fbt/lib/walk

/// A group that no entry has: there are fewer choices than numbers.
const NO_GROUP = 0xffffffffu;

@group(0) @binding(0) var<storage, read> offsets: array<u32>;
@group(0) @binding(1) var<storage, read> entries: array<u32>;
@group(0) @binding(2) var<storage, read> results: array<u32>;
@group(0) @binding(3) var<storage, read> mecs: array<u32>;
@group(0) @binding(4) var<storage, read_write> lost: array<atomic<u32>>;
@group(0) @binding(5) var<storage, read_write> several: array<atomic<u32>>;
@group(0) @binding(6) var<storage, read_write> candidates: array<atomic<u32>>;
@group(0) @binding(7) var<storage, read_write> checks: array<atomic<u32>>;
@group(0) @binding(8) var<uniform> rows: Rows;
@group(0) @binding(11) var<storage, read_write> removed: array<atomic<u32>>;

@compute @workgroup_size(SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) local: u32) {
    walk_rows(rows, grid, local);
}

/// Returns whether a state is dead or in a component that is known to be maximal.
fn is_finished(own: u32) -> bool {
    if own == DEAD {
        return true;
    }
    let region = own & REGION;
#ifdef PULL
    if loop_now.iteration > 0u && (atomicLoad(&lost[region / 32u]) & (1u << (region % 32u))) == 0u {
        return true;
    }
#endif
    return !is_active(own) && ((mecs[region / 32u] >> (region % 32u)) & 1u) != 0u;
}

#ifdef LONG
/// Removes the choices of which an edge of a part leaves.
fn look_in(part: Part, local: u32, groups: u32) {
    let i = part.state;
    let own = results[i];
    if is_finished(own) {
        return;
    }
    var loses = false;
    for (var j = part.begin + local; j < part.end; j += SIZE) {
        let edge = entries[j];
        if edge == EMPTY || results[state_of(rows, edge)] == own {
            continue;
        }
        let choice = choice_offsets[i] + group_of(rows, edge, j);
        if !is_removed(choice) {
            loses |= remove(choice);
        }
    }
    if loses {
        note(i, own & REGION, true, false);
    }
}
#else
/// Removes the choices of state `i` that leave.
fn look_at(i: u32, groups: u32) {
    let own = results[i];
    if is_finished(own) {
        return;
    }
    let base = choice_offsets[i];
    let step = row_step(rows, i);
    let begin = offsets[i] - rows.first_entry;
    let end = offsets[row_end(rows, i)] - rows.first_entry;
    if is_long(rows, i, begin, end) {
        // Records only that its component has this state.
        note(i, own & REGION, false, true);
        return;
    }
    var group = NO_GROUP;
    var gone = true;
    var leaves = false;
    var loses = false;
    var stays = false;
    for (var j = begin;; j += step) {
        var edge = EMPTY;
        if j < end {
            edge = entries[j];
        }
        var next = NO_GROUP;
        if edge != EMPTY {
            next = group_of(rows, edge, j);
        }
        if next != group || next == NO_GROUP {
            // All entries of `group` were seen. (At first, there is no group.)
            if !gone && leaves {
                loses |= remove(base + group);
            }
            stays = stays || (!gone && !leaves);
            if next == NO_GROUP {
                break;
            }
            group = next;
            gone = is_removed(base + group);
            leaves = false;
        }
        if !gone && !leaves {
            leaves = results[state_of(rows, edge)] != own;
        }
    }
    note(i, own & REGION, loses, stays);
}
#endif

fn note(i: u32, region: u32, loses: bool, stays: bool) {
    let name = 1u << (region % 32u);
    if region != i && (atomicLoad(&several[region / 32u]) & name) == 0u {
        // RESULT UNUSED: the bit is only set, by any of the component's states.
        atomicOr(&several[region / 32u], name);
    }
    if loses {
        // RESULT UNUSED: the bit is only set, by its state's invocation.
        atomicOr(&candidates[i / 32u], 1u << (i % 32u));
    }
    if !stays {
        // RESULT UNUSED: the bit is only set, by its state's invocation.
        atomicOr(&checks[word_of(i)], bit_of(i));
    }
    if (loses || !stays) && (atomicLoad(&lost[region / 32u]) & name) == 0u {
        // RESULT UNUSED: the bit is only set, by any of the component's states.
        atomicOr(&lost[region / 32u], name);
    }
}

fn is_removed(choice: u32) -> bool {
    return (atomicLoad(&removed[choice / 32u]) & (1u << (choice % 32u))) != 0u;
}

/// Removes a choice. Returns whether it was not removed before.
//@ once remove(choice): who sets the bit counts the choice as removed
fn remove(choice: u32) -> bool {
    let bit = 1u << (choice % 32u);
    return (atomicOr(&removed[choice / 32u], bit) & bit) == 0u;
}
