//! Step 4 of a batch (`docs/exploring.md`): counts the deadlocks among its states, and writes where
//! the row of each state ends. One invocation per state.
//!
//! flags: KEEP, DROP
//! checks: debug
//!
//! With KEEP, rows are kept; with DROP, some transitions were dropped. Reads `control`, `offsets`,
//! `sums` and, with DROP, `ranks`. Owns, with KEEP, `row_ends`, which count from the first
//! transition that is still there. Shares `tallies`, by atomic operations.
#import explore/lib/control
#import explore/lib/params
#import lib/grid

@group(0) @binding(0) var<storage, read> control: array<u32>;
@group(0) @binding(1) var<storage, read> offsets: array<u32>;
@group(0) @binding(2) var<storage, read> sums: array<u32>;
@group(0) @binding(3) var<storage, read_write> tallies: array<atomic<u32>>;
#ifdef KEEP
@group(0) @binding(4) var<storage, read_write> row_ends: array<u32>;
#ifdef DROP
@group(0) @binding(5) var<storage, read> ranks: array<u32>;
#endif
#endif

@compute @workgroup_size(SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) local: u32) {
    let first = control[START];
    let n = control[END] - first;
    var deadlocks = 0u;
    for (var i = grid_index(grid, local, SIZE); i < n; i += grid_stride(grid, SIZE)) {
        if offsets[i] >= DEADLOCK {
            if deadlocks == 0u {
                // RESULT UNUSED: the minimum of all is looked at by the host.
                atomicMin(&tallies[FIRST_DEADLOCK], first + i);
            }
            deadlocks++;
        }
#ifdef KEEP
        row_ends[first + i - control[ROWS_FROM]] = end_of(i, n);
#endif
    }
    if deadlocks > 0u {
        // RESULT UNUSED: the sum is looked at by the host.
        atomicAdd(&tallies[DEADLOCKS], deadlocks);
    }
}

#ifdef KEEP
/// Returns the end of the transitions of a state of the batch.
fn end_of(i: u32, n: u32) -> u32 {
    if i + 1u == n {
        return control[ROW_END];
    }
    let place = sums[(i + 1u) / SIZE] + (offsets[i + 1u] & ~DEADLOCK);
    if place == control[CANDIDATES] {
        return control[ROW_END];
    }
#ifdef DROP
    return control[ROW_BEGIN] + ranks[place];
#else
    return control[ROW_BEGIN] + place;
#endif
}
#endif
