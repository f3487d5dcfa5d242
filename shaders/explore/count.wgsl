//! Counts the successors of the states of the next batch, and sums them up within blocks of states.
//!
//! checks: debug
//!
//! Reads `network`, `states`, `control`. Owns `offsets`, a word a state: its place in its block,
//! and whether it is a deadlock; and `sums`, a word a block.
#import explore/lib/control
#import explore/lib/params
#import explore/lib/successors
#import lib/grid
#import lib/scan

@group(0) @binding(2) var<storage, read> control: array<u32>;
@group(0) @binding(3) var<storage, read_write> offsets: array<u32>;
@group(0) @binding(4) var<storage, read_write> sums: array<u32>;
@group(0) @binding(5) var<uniform> params: ExploreParams;

@compute @workgroup_size(SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) local: u32) {
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
            } else if own == MOST_SUCCESSORS {
                // Perhaps they are more: they fit no batch.
                own = MOST_CANDIDATES + 1u;
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

/// The successors of a state, up to MOST_SUCCESSORS.
fn num_successors(state: u32) -> u32 {
    var all = 0u;
    for (var process = 0u; process < params.processes; process++) {
        let row = row_of(state, field_of(process));
        all = min(all + min(num_independent(row), MOST_SUCCESSORS), MOST_SUCCESSORS);
        let first = network[row + 1u];
        let entries = num_dependent(row);
        for (var entry = 0u; entry < entries; entry++) {
            let own = first + DEPENDENT_WORDS * entry;
            let rules = network[own + 3u];
            let num_rules = (network[own + 4u] - rules) / params.rule_words;
            for (var rule = 0u; rule < num_rules; rule++) {
                let ways = num_ways(state, rules + params.rule_words * rule, own);
                all = min(all + ways, MOST_SUCCESSORS);
            }
        }
    }
    return all;
}
