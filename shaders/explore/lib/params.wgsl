//! The parameters of the kernels of an exploration: the layout of the tables of the network or
//! program, the layout of the hash table, and limits.

/// Invocations of a workgroup, which are the states of a block too.
const SIZE = 256u;

struct ExploreParams {
    /// The number of processes.
    processes: u32,
    /// Where in `network` the fields begin (`lts_network::WordTables`).
    fields: u32,
    /// The words of a rule.
    rule_words: u32,
    /// Where in `network` the bits begin that say which labels may repeat.
    repeats: u32,
    /// The words of an independent transition, 1 or 2.
    entry_words: u32,
    /// The bits of its label.
    label_bits: u32,
    /// Where in `program` the rules begin (`prism_language::WordTables`).
    rules: u32,
    /// How many there are.
    num_rules: u32,
    /// Whether all successors of a state are of one choice: 0 or 1.
    is_chain: u32,
    /// How many successors a state of a program may have for the CPU not to be asked about it.
    most_of_state: u32,
    /// The successors of a state that has none: 1, itself, if it is given a self-loop, and else 0.
    self_loops: u32,
    /// The number of buckets of the hash table less 1, which is a power of 2 less 1.
    bucket_mask: u32,
    /// The bits of a number or place in a slot.
    index_bits: u32,
    /// How many states there may be.
    most_states: u32,
    /// How many candidates fit, at most MAX_CANDIDATES.
    most_candidates: u32,
    /// How many states of a batch fit.
    most_batch: u32,
    /// How many transitions fit; 2^32 - 1 if they are not kept.
    most_transitions: u32,
    /// How many rows fit; 2^32 - 1 if they are not kept.
    most_rows: u32,
    /// States with more successors than this are not searched for repeated ones.
    most_compared: u32,
}
