//! For networks, in step 1 of a batch (`docs/exploring.md`): counts the successors of each state.
//!
//! checks: debug
//!
//! One invocation per state. Reads `network`, `states`, `control`. Owns `offsets`, a word per
//! state: its place in its block, and whether it is a deadlock; and `sums`, a word per block.
#import explore/lib/count_batch
#import explore/lib/successors

@group(0) @binding(5) var<uniform> params: ExploreParams;

@compute @workgroup_size(SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) local: u32) {
    count_batch(grid, local);
}

/// Returns the successors of a state, up to MAX_SUCCESSORS.
fn num_successors(state: u32) -> u32 {
    var all = 0u;
    for (var process = 0u; process < params.processes; process++) {
        let row = row_of(state, field_of(process));
        all = min(all + min(num_independent(row), MAX_SUCCESSORS), MAX_SUCCESSORS);
        let first = network[row + 1u];
        let entries = num_dependent(row);
        for (var entry = 0u; entry < entries; entry++) {
            let own = first + DEPENDENT_WORDS * entry;
            let rules = network[own + 3u];
            let num_rules = (network[own + 4u] - rules) / params.rule_words;
            for (var rule = 0u; rule < num_rules; rule++) {
                let ways = num_ways(state, rules + params.rule_words * rule, own);
                all = min(all + ways, MAX_SUCCESSORS);
            }
        }
    }
    return all;
}
