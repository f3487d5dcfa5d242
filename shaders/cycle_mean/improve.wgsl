//! Howard's algorithm: each state takes the first edge with the least value, but keeps its edge if
//! that is as good. One invocation per state (LONG: one workgroup per state with a long row).
//!
//! flags: WIDE, LONG
//!
//! Owns `choices`, a word per state. Shares `changed` (atomic). Reads the rest. A policy that was
//! not evaluated in full stays as it is.
#import cycle_mean/lib/changed
#import cycle_mean/lib/edges
#import cycle_mean/lib/rows
#import cycle_mean/lib/scales
#import lib/grid

@group(0) @binding(0) var<storage, read> rows: array<vec2<u32>>;
@group(0) @binding(3) var<storage, read> scales: array<Scale>;
@group(0) @binding(4) var<storage, read> values: array<vec2<u32>>;
@group(0) @binding(5) var<storage, read> leaders: array<u32>;
@group(0) @binding(6) var<storage, read_write> choices: array<u32>;

/// The edge that a state has already.
const KEEP = 0xfffffffeu;

/// Records that the policy has changed. Reads first, because thousands of states may change their
/// edges, and one write is enough.
fn note_change(place: u32) {
    if atomicLoad(&changed[place]) <= params.iteration {
        atomicMax(&changed[place], params.iteration + 1u);
    }
}

@compute @workgroup_size(SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) local: u32) {
    let n = row_count();
    for (var i = first_row(grid, local); i < n; i += row_stride(grid)) {
        let row = row_at(i, local);
        let is_active = leaders[row.state] != NONE && !has_failed();
        let component = rows[row.state].y;
        let scale = scales[component];
        var least = Least(values[row.state], KEEP);
        for (var number = row.first; is_active && number < row.end; number += row.step) {
            let edge = edge_at(number);
            let length = scaled(scale, edge.weight, vec2<u32>(edge.time, 0u));
            let value = add64(length, values[edge.to]);
            if is_less64(value, least.value) {
                least = Least(value, number);
            }
        }
        least = least_of_row(local, least);
        if decides(local) && least.edge != KEEP {
            choices[row.state] = least.edge;
            note_change(component);
            note_change(params.components);
        }
    }
}
