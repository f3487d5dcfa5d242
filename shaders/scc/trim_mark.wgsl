//! Trimming without a transpose, first half (2016, Algorithm 1, line 1): states without an edge to another
//! state of their region fall; the others mark the targets of such edges.
//!
//! flags: CHOICES
//!
//! CHOICES: edges of removed choices are none.
//!
//! Reads `offsets`, `entries`; what belongs to CHOICES. Shares, by atomics: `results`, each word written by its state's
//! invocation; `marked`, a bit a state.
#import edges
#import grid
#import loop
#import results
#import rows

const SIZE = 256u;

@group(0) @binding(0) var<storage, read> offsets: array<u32>;
@group(0) @binding(1) var<storage, read> entries: array<u32>;
@group(0) @binding(2) var<storage, read_write> results: array<atomic<u32>>;
@group(0) @binding(3) var<storage, read_write> marked: array<atomic<u32>>;
@group(0) @binding(4) var<uniform> rows: Rows;

@compute @workgroup_size(SIZE)
fn main(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let first = rows.first_state + grid_index(workgroup, count, local, SIZE);
    for (var i = first; i < rows.end_state; i += grid_stride(count, SIZE)) {
        let own = atomicLoad(&results[i]);
        if is_active(own) && !mark_targets(i, own) {
            atomicStore(&results[i], DONE | i);
            loop_again(count.x);
        }
    }
}

/// Marks the states of its own region that `i` leads to; says whether there are any but itself.
fn mark_targets(i: u32, own: u32) -> bool {
    var stays = false;
    let step = row_step(rows, i);
    let end = offsets[row_end(rows, i)] - rows.first_entry;
    for (var j = offsets[i] - rows.first_entry; j < end; j += step) {
        let edge = entries[j];
        if edge == EMPTY {
            break;
        }
        let k = state_of(rows, edge);
        if k == i || atomicLoad(&results[k]) != own || !is_live(i, group_of(rows, edge, j)) {
            continue;
        }
        stays = true;
        let bit = 1u << (k % 32u);
        if (atomicLoad(&marked[k / 32u]) & bit) == 0u {
            // RESULT UNUSED: the bit is only set, by any state that leads there.
            atomicOr(&marked[k / 32u], bit);
        }
    }
    return stays;
}
