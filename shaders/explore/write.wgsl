//! Step 1 of a batch (`docs/exploring.md`), last pass, for networks: computes the successors of its
//! states, and writes them to their places. One invocation per state.
//!
//! flags: LABELLED
//! checks: debug
//!
//! Reads `network`, `states`, `control`, `offsets`, `sums`. Owns `candidates` and, with LABELLED,
//! `labels`: the action of each candidate: its label plus 1, or 0 for a deadlock's self-loop.
#import explore/lib/successors
#import explore/lib/write_batch

@group(0) @binding(7) var<uniform> params: ExploreParams;

/// A successor while it is put together.
var<private> successor: array<u32, 8>;

@compute @workgroup_size(SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) local: u32) {
    write_batch(grid, local);
}

fn write_self_loop(state: u32) {
    load(state);
    put(0u);
}

fn write_successors(state: u32) {
    for (var process = 0u; process < params.processes; process++) {
        let field = field_of(process);
        let row = row_of(state, field);
        write_independent(state, field, row);
        let first = network[row + 1u];
        let entries = num_dependent(row);
        for (var entry = 0u; entry < entries; entry++) {
            let own = first + DEPENDENT_WORDS * entry;
            let rules = network[own + 3u];
            let num_rules = (network[own + 4u] - rules) / params.rule_words;
            for (var rule = 0u; rule < num_rules; rule++) {
                write_synchronised(state, rules + params.rule_words * rule, own);
            }
        }
    }
}

/// Writes what a process does by itself.
fn write_independent(state: u32, field: u32, row: u32) {
    let first = network[row];
    let entries = num_independent(row);
    for (var i = 0u; i < entries; i++) {
        let at = first + params.entry_words * i;
        let entry = network[at];
        var to = 0u;
        if params.entry_words == 1u {
            to = entry >> (params.label_bits + 1u);
        } else {
            to = network[at + 1u];
        }
        load(state);
        change(field, to);
        put(((entry >> 1u) & ((1u << params.label_bits) - 1u)) + 1u);
    }
}

/// Writes what the participants of a rule do together: the targets of the last one change first.
fn write_synchronised(state: u32, rule: u32, own: u32) {
    let ways = num_ways(state, rule, own);
    let label = network[rule];
    for (var way = 0u; way < ways; way++) {
        load(state);
        var rest = way;
        for (var word = params.rule_words - 1u; word > 0u; word--) {
            var left = network[rule + word];
            while left != 0u {
                let bit = firstLeadingBit(left);
                left ^= 1u << bit;
                let field = field_of(32u * (word - 1u) + bit);
                let at = find_dependent(row_of(state, field), network[own]);
                let targets = network[at + 1u];
                var to = network[at + 2u];
                if targets > 1u {
                    to = network[to + rest % targets];
                    rest /= targets;
                }
                change(field, to);
            }
        }
        put(label + 1u);
    }
}

/// Begins a successor that is equal to the state.
fn load(state: u32) {
    for (var word = 0u; word < WORDS; word++) {
        successor[word & 7u] = states[state * WORDS + word];
    }
}

/// Changes the state of the process of a field.
fn change(field: u32, to: u32) {
    let word = word_of(field);
    let shift = network[field + 1u];
    let mask = network[field + 2u] << shift;
    successor[word] = (successor[word] & ~mask) | (to << shift);
}

/// Writes the successor.
fn put(action: u32) {
    for (var word = 0u; word < WORDS; word++) {
        candidates[next_place * WORDS + word] = successor[word & 7u];
    }
#ifdef LABELLED
    labels[next_place] = action;
#endif
    next_place++;
}
