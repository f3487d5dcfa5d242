//! Access to the tables of a network (`lts_network::WordTables`).

@group(0) @binding(0) var<storage, read> network: array<u32>;

/// The number of words of a state.
override WORDS: u32;

const FIELD_WORDS = 4u;
const ROW_WORDS = 2u;
const DEPENDENT_WORDS = 5u;
const NOWHERE = 0xffffffffu;

/// Returns the place in `network` of the field of a process.
fn field_of(process: u32) -> u32 {
    return params.fields + FIELD_WORDS * process;
}

/// Returns the word of a state that a field is in.
fn word_of(field: u32) -> u32 {
    if WORDS == 1u {
        return 0u;
    }
    return network[field] & 7u;
}

/// Returns the number of independent transitions of a row.
fn num_independent(row: u32) -> u32 {
    return (network[row + ROW_WORDS] - network[row]) / params.entry_words;
}

/// Returns the number of entries for dependent transitions of a row.
fn num_dependent(row: u32) -> u32 {
    return (network[row + ROW_WORDS + 1u] - network[row + 1u]) / DEPENDENT_WORDS;
}

/// Returns the place of the entry of a synchronisation label in a row, if any. Entries ascend.
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
