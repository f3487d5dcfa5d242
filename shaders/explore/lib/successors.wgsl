//! The successors of a state, by the tables of its network (`lts_network::WordTables`), in the
//! order of the search on the CPU.

@group(0) @binding(0) var<storage, read> network: array<u32>;
@group(0) @binding(1) var<storage, read> states: array<u32>;

/// The words of a state.
override WORDS: u32;

const FIELD_WORDS = 4u;
const ROW_WORDS = 2u;
const DEPENDENT_WORDS = 5u;
const NOWHERE = 0xffffffffu;

/// Where in `network` the field of a process is.
fn field_of(process: u32) -> u32 {
    return params.fields + FIELD_WORDS * process;
}

/// The word of a state that a field is in.
fn word_of(field: u32) -> u32 {
    if WORDS == 1u {
        return 0u;
    }
    return network[field] & 7u;
}

/// Where in `network` the row of a process is, whose field this is, in a state.
fn row_of(state: u32, field: u32) -> u32 {
    let word = states[state * WORDS + word_of(field)];
    let own = (word >> network[field + 1u]) & network[field + 2u];
    return network[field + 3u] + ROW_WORDS * own;
}

/// The number of independent transitions of a row.
fn num_independent(row: u32) -> u32 {
    return (network[row + ROW_WORDS] - network[row]) / params.entry_words;
}

/// The number of entries for dependent transitions of a row.
fn num_dependent(row: u32) -> u32 {
    return (network[row + ROW_WORDS + 1u] - network[row + 1u]) / DEPENDENT_WORDS;
}

/// Where the entry of a synchronisation label in a row is, if it has one. Entries ascend.
fn find_dependent(row: u32, sync: u32) -> u32 {
    let first = network[row + 1u];
    var low = 0u;
    var high = num_dependent(row);
    while low < high {
        let middle = low + (high - low) / 2u;
        let at = first + DEPENDENT_WORDS * middle;
        let found = network[at];
        if found == sync {
            return at;
        }
        if found < sync {
            low = middle + 1u;
        } else {
            high = middle;
        }
    }
    return NOWHERE;
}

/// The product, if it is not too large.
fn times(a: u32, b: u32) -> u32 {
    if a > MOST_SUCCESSORS / max(b, 1u) {
        return MOST_SUCCESSORS;
    }
    return a * b;
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
