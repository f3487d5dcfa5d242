//! A step of the attractors: removes the choices that may lead to states that have died (2014, Definition 7
//! and section 2.3, step 2; 2016, 2.3, step 2b), along the transpose.
//!
//! Every choice that leaves its component has been removed before, so what leads to a dead state comes
//! from its own component.
//!
//! Reads `offsets`, `entries`, `choice_offsets`, `groups`. Shares, by atomics: `fallen`, of which each bit is taken
//! by its state's invocation; `removed`, a bit a choice; `candidates` and `checks`, a bit a state.
#import choices
#import grid
#import rows

const SIZE = 256u;

@group(0) @binding(0) var<storage, read> offsets: array<u32>;
@group(0) @binding(1) var<storage, read> entries: array<u32>;
@group(0) @binding(2) var<storage, read_write> fallen: array<atomic<u32>>;
@group(0) @binding(3) var<storage, read_write> candidates: array<atomic<u32>>;
@group(0) @binding(4) var<storage, read_write> checks: array<atomic<u32>>;
@group(0) @binding(5) var<uniform> rows: Rows;
@group(0) @binding(11) var<storage, read_write> removed: array<atomic<u32>>;

@compute @workgroup_size(SIZE)
fn main(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let first = rows.first_state + grid_index(workgroup, count, local, SIZE);
    for (var i = first; i < rows.end_state; i += grid_stride(count, SIZE)) {
        let bit = 1u << (i % 32u);
        if (atomicLoad(&fallen[i / 32u]) & bit) != 0u {
            atomicAnd(&fallen[i / 32u], ~bit);
            tell(i);
        }
    }
}

/// Removes the choices that lead to `i`.
fn tell(i: u32) {
    let step = row_step(rows, i);
    let end = offsets[row_end(rows, i)] - rows.first_entry;
    for (var j = offsets[i] - rows.first_entry; j < end; j += step) {
        let edge = entries[j];
        if edge == EMPTY {
            break;
        }
        let k = state_of(rows, edge);
        if remove(choice_offsets[k] + group_of(rows, edge, j)) {
            let state = 1u << (k % 32u);
            atomicOr(&candidates[k / 32u], state);
            atomicOr(&checks[k / 32u], state);
        }
    }
}

/// Says whether the choice was there.
fn remove(choice: u32) -> bool {
    let bit = 1u << (choice % 32u);
    if (atomicLoad(&removed[choice / 32u]) & bit) != 0u {
        return false;
    }
    return (atomicOr(&removed[choice / 32u], bit) & bit) == 0u;
}
