//! A step of the attractors of the papers' MEC algorithm, along the transpose: removes the choices
//! that may lead to states that have died (2014 paper, Definition 7 and section 2.3, step 2; 2016
//! paper, 2.3, step 2b). One invocation per eight states (`fbt/lib/bits`).
//!
//! Every choice that leaves its component was removed before, so the edges into a dead state come
//! from its own component.
//!
//! flags: LONG
//!
//! LONG: for rows some of which are long. The workgroup walks a long row together, in several steps
//! if necessary (`fbt/lib/long_rows`).
//! Reads `offsets`, `entries`, `choice_offsets`, `groups`. Shares, by atomics: `tells`, of which
//! each bit is taken by its state's invocation; `removed`, a bit per choice; `candidates` and
//! `checks`, a bit per state.
#import fbt/lib/bits
#import fbt/lib/choices
#import lib/grid
#import lib/loop
#import fbt/lib/rows
#import fbt/lib/tell

@group(0) @binding(0) var<storage, read> offsets: array<u32>;
@group(0) @binding(1) var<storage, read> entries: array<u32>;
@group(0) @binding(2) var<storage, read_write> tells: array<atomic<u32>>;
@group(0) @binding(3) var<storage, read_write> candidates: array<atomic<u32>>;
@group(0) @binding(4) var<storage, read_write> checks: array<atomic<u32>>;
@group(0) @binding(5) var<uniform> rows: Rows;
@group(0) @binding(11) var<storage, read_write> removed: array<atomic<u32>>;

@compute @workgroup_size(SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) local: u32) {
    let shift = own_shift(local);
    let first_block = rows.first_state / BLOCK + grid.workgroup.x;
    for (var block = first_block; block * BLOCK < rows.end_state; block += grid.count.x) {
        let at = own_word(block, local);
        var taken = (atomicLoad(&tells[at]) >> shift) & 0xffu;
        if taken == 0u {
            continue;
        }
        taken &= own_bits(block, local, rows.first_state, rows.end_state);
        // RESULT UNUSED: the bits are this invocation's; `wait` sets one again later, in the same
        // grid.workgroup.
        atomicAnd(&tells[at], ~(taken << shift));
        for (var k = 0u; k < 8u; k += 1u) {
            if (taken & (1u << k)) != 0u {
                tell_row(rows, own_state(block, local, k), grid.count.x);
            }
        }
    }
#ifdef LONG
    tell_long(grid.count.x, local);
#endif
}

/// Removes the choice of an entry, which may lead to a dead state.
fn tell_entry(entry: u32, position: u32, workgroups: u32) {
    let k = state_of(rows, entry);
    if remove(choice_offsets[k] + group_of(rows, entry, position)) {
        // RESULT UNUSED: the bit is only set; `remove` has decided who acts.
        atomicOr(&candidates[k / 32u], 1u << (k % 32u));
        // RESULT UNUSED: the bit is only set, by any of the state's choices.
        atomicOr(&checks[word_of(k)], bit_of(k));
        // The last part of a long row is walked in an iteration in which nothing else may ask.
        loop_again(workgroups);
    }
}
#ifdef LONG

/// Walks the rows of the states that were kept.
fn tell_long(workgroups: u32, local: u32) {
    let count = kept_long();
    var budget = LONG_BUDGET;
    for (var at = 0u; at < count; at += 1u) {
        let i = workgroupUniformLoad(&long_states[at]);
        budget = tell_long_row(rows, i, budget, workgroups, local);
    }
}

/// Leaves a state for the next step.
fn wait(state: u32, workgroups: u32) {
    // RESULT UNUSED: the bit is only set, by the workgroup that took it.
    atomicOr(&tells[word_of(state)], bit_of(state));
    loop_again(workgroups);
}
#endif

/// Removes a choice. Returns whether it was not removed before.
//@ once remove(choice): who sets the bit counts the choice as removed
fn remove(choice: u32) -> bool {
    let bit = 1u << (choice % 32u);
    if (atomicLoad(&removed[choice / 32u]) & bit) != 0u {
        return false;
    }
    return (atomicOr(&removed[choice / 32u], bit) & bit) == 0u;
}
