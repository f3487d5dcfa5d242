//! Howard's first policy: the first of the cheapest edges of each state. One invocation per state.
//!
//! flags: WIDE, LONG
//!
//! Owns `choices`, a word per state. Reads the rest. LONG: one workgroup per state with a long row.
#import cycle_mean/lib/edges
#import cycle_mean/lib/rows
#import lib/grid

@group(0) @binding(0) var<storage, read> rows: array<vec2<u32>>;
@group(0) @binding(3) var<storage, read_write> choices: array<u32>;

@compute @workgroup_size(SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) local: u32) {
    let n = row_count();
    for (var i = first_row(grid, local); i < n; i += row_stride(grid)) {
        let row = row_at(i, local);
        var least = Least(vec2<u32>(), NONE);
        for (var number = row.first; number < row.end; number += row.step) {
            let weight = edge_at(number).weight;
            if least.edge == NONE || is_less64(weight, least.value) {
                least = Least(weight, number);
            }
        }
        least = least_of_row(local, least);
        if decides(local) && least.edge != NONE {
            choices[row.state] = least.edge;
        }
    }
}
