//! Counts the successors of the states of the next batch, by `num_successors` of the kernel, and
//! adds them up within blocks of SIZE states. One invocation per state.
#import explore/lib/control
#import explore/lib/params
#import explore/lib/times
#import lib/grid
#import lib/scan

@group(0) @binding(2) var<storage, read> control: array<u32>;
@group(0) @binding(3) var<storage, read_write> offsets: array<u32>;
@group(0) @binding(4) var<storage, read_write> sums: array<u32>;

/// Stores for each state its place in its block, and whether it is a deadlock; for each block its
/// sum.
fn count_batch(grid: Grid, local: u32) {
    let first = control[END];
    var n = min(control[KNOWN_STATES] - first, control[LIMIT]);
    if control[STOP] != RUNNING {
        n = 0u;
    }
    let blocks = (n + SIZE - 1u) / SIZE;
    for (var block = grid_index(grid, 0u, 1u); block < blocks; block += grid_stride(grid, 1u)) {
        let i = block * SIZE + local;
        var own = 0u;
        var flag = 0u;
        if i < n {
            own = num_successors(first + i);
            if own == 0u {
                own = params.self_loops;
                flag = DEADLOCK;
            } else if own == MAX_SUCCESSORS {
                // Perhaps they are more: they fit no batch.
                own = MAX_CANDIDATES + 1u;
            }
        }
        let end = sum_through(local, own);
        if i < n {
            offsets[i] = (end - own) | flag;
        }
        if local == SIZE - 1u {
            sums[block] = end;
        }
    }
}
