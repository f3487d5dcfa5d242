//! Step 1 of a batch (`docs/exploring.md`), for programs: counts the successors of the next states
//! by evaluating the commands, and adds them up within blocks of states. One invocation per state.
//!
//! checks: debug
//!
//! Reads `program`, `states`, `control`. Owns `offsets`, a word per state: its place in its block,
//! and whether it is a deadlock; and `sums`, a word per block. Shares `tallies`, by atomic
//! operations.
#import explore/lib/count_batch
#import explore/lib/program

@group(0) @binding(5) var<storage, read_write> tallies: array<atomic<u32>>;
@group(0) @binding(6) var<uniform> params: ExploreParams;

@compute @workgroup_size(SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) local: u32) {
    count_batch(grid, local);
}

/// Returns the successors of a state, up to MAX_SUCCESSORS. None if they cannot be counted.
fn num_successors(state: u32) -> u32 {
    var all = 0u;
    for (var rule = 0u; rule < params.num_rules; rule++) {
        let at = params.rules + RULE_WORDS * rule;
        has_failed = false;
        let ways = num_ways(state, program[at], program[at + 1u]);
        all = min(all + ways, MAX_SUCCESSORS);
        if has_failed || all > params.most_of_state {
            // RESULT UNUSED: the minimum of all is looked at by a later dispatch.
            atomicMin(&tallies[FAILED], state);
            return 0u;
        }
    }
    return all;
}

/// In how many ways the groups of a rule can take a step together. What fails does not matter if
/// one of them can do nothing.
fn num_ways(state: u32, begin: u32, end: u32) -> u32 {
    var ways = 1u;
    for (var party = begin; party < end; party++) {
        let row = row_of(state, program[party]);
        var branches = 0u;
        var at = next_enabled(state, row.x, row.y);
        if at >= row.y {
            has_failed = false;
            return 0u;
        }
        while at < row.y {
            branches += num_branches(state, program[at]);
            at = next_enabled(state, at + 1u, row.y);
        }
        ways = times(ways, branches);
    }
    return ways;
}
