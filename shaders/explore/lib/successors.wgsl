//! The successors of a state, by the tables of its network (`lts_network::WordTables`), in the
//! order of the search on the CPU.
#import explore/lib/network
#import explore/lib/times

@group(0) @binding(1) var<storage, read> states: array<u32>;

/// Returns the place in `network` of the row of a process, given its field, in a state.
fn row_of(state: u32, field: u32) -> u32 {
    let word = states[state * WORDS + word_of(field)];
    let own = (word >> network[field + 1u]) & network[field + 2u];
    return network[field + 3u] + ROW_WORDS * own;
}

/// In how many ways the participants of a rule can take part in a state: 0 if one of them cannot.
/// The first participant has the entry `own`.
fn num_ways(state: u32, rule: u32, own: u32) -> u32 {
    let sync = network[own];
    var ways = network[own + 1u];
    var is_first = true;
    for (var word = 1u; word < params.rule_words; word++) {
        var left = network[rule + word];
        while left != 0u {
            let process = 32u * (word - 1u) + firstTrailingBit(left);
            left &= left - 1u;
            if is_first {
                is_first = false;
                continue;
            }
            let at = find_dependent(row_of(state, field_of(process)), sync);
            if at == NOWHERE {
                return 0u;
            }
            ways = times(ways, network[at + 1u]);
        }
    }
    return ways;
}
