//! Howard's algorithm: leads the states whose policy goes to other cycles to the best cycle of
//! their component. This is one level of a breadth-first search against the edges; a state with
//! edges to earlier levels takes the first of the cheapest of them. One invocation per state (LONG:
//! one workgroup per state with a long row).
//!
//! flags: WIDE, LONG, TELL
//!
//! With `TELL` it is an iteration of a loop, which ends when no state was found (no workgroups in
//! x), or after so many levels as it may take (none in y). Otherwise the host says which level it
//! is, and if states are found in the last one, the attempt has failed, because others may be left.
//! Owns `choices` and `values`, an entry per state. Shares `levels` (atomic): what a state finds
//! does not depend on what others of its level find; and `changed` (atomic). Reads the rest.
#import lib/grid
#import lib/loop
#import cycle_mean/lib/changed
#import cycle_mean/lib/edges
#import cycle_mean/lib/rows
#import cycle_mean/lib/scales

@group(0) @binding(0) var<storage, read> rows: array<vec2<u32>>;
@group(0) @binding(3) var<storage, read> scales: array<Scale>;
//@ disjoint values: states of earlier levels are read, and states of this level are written
@group(0) @binding(4) var<storage, read_write> values: array<vec2<u32>>;
@group(0) @binding(5) var<storage, read_write> levels: array<atomic<u32>>;
@group(0) @binding(6) var<storage, read_write> choices: array<u32>;

@compute @workgroup_size(SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) local: u32) {
#ifdef TELL
    let level = loop_now.iteration + 1u;
#else
    let level = params.level;
#endif
    let n = row_count();
    for (var i = first_row(grid, local); i < n; i += row_stride(grid)) {
        let row = row_at(i, local);
        let is_open = atomicLoad(&levels[row.state]) == NONE;
        let scale = scales[rows[row.state].y];
        var least = Least(vec2<u32>(), NONE);
        for (var number = row.first; is_open && number < row.end; number += row.step) {
            let edge = edge_at(number);
            if atomicLoad(&levels[edge.to]) >= level {
                continue;
            }
            let length = scaled(scale, edge.weight, vec2<u32>(edge.time, 0u));
            let value = add64(length, values[edge.to]);
            if least.edge == NONE || is_less64(value, least.value) {
                least = Least(value, number);
            }
        }
        least = least_of_row(local, least);
        if decides(local) && least.edge != NONE {
            choices[row.state] = least.edge;
            values[row.state] = least.value;
            atomicStore(&levels[row.state], level);
#ifdef TELL
            loop_again(grid.count.x);
            if level < params.most_levels {
                atomicMax(&loop_next.y, 1u);
            }
#else
            note_level(level);
            if level == params.levels {
                fail_attempt();
            }
#endif
        }
    }
}
