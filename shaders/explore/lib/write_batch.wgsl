//! Writes the successors of the states of a batch to their places, by `write_successors` and
//! `write_self_loop` of the kernel. One invocation per state.
//!
//! flags: LABELLED
#import explore/lib/control
#import explore/lib/params
#import lib/grid

@group(0) @binding(2) var<storage, read> control: array<u32>;
@group(0) @binding(3) var<storage, read> offsets: array<u32>;
@group(0) @binding(4) var<storage, read> sums: array<u32>;
//@ disjoint candidates: a state has as many places from its offset on as it has successors
@group(0) @binding(5) var<storage, read_write> candidates: array<u32>;
#ifdef LABELLED
//@ disjoint labels: the places are those of `candidates`
@group(0) @binding(6) var<storage, read_write> labels: array<u32>;
#endif

/// The place of the next successor.
var<private> next_place: u32;

fn write_batch(grid: Grid, local: u32) {
    let first = control[START];
    let n = control[END] - first;
    for (var i = grid_index(grid, local, SIZE); i < n; i += grid_stride(grid, SIZE)) {
        let offset = offsets[i];
        next_place = sums[i / SIZE] + (offset & ~DEADLOCK);
        if offset < DEADLOCK {
            write_successors(first + i);
        } else if params.self_loops != 0u {
            write_self_loop(first + i);
        }
    }
}
