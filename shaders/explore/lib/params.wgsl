//! The parameters of the kernels of an exploration: the layout of the tables of the network or
//! program, the layout of the hash table, and limits.

/// The number of invocations of a workgroup, and of states of a block.
const SIZE = 256u;

struct ExploreParams {
    /// The number of processes.
    processes: u32,
    /// The place in `network` where the fields begin (`lts_network::WordTables`).
    fields: u32,
    /// The number of words of a rule.
    rule_words: u32,
    /// The place in `network` of the bits that say which labels may repeat.
    repeats: u32,
    /// The number of words of an independent transition, 1 or 2.
    entry_words: u32,
    /// The number of bits of its label.
    label_bits: u32,
    /// The place in `program` where the rules begin (`prism_language::WordTables`).
    rules: u32,
    /// The number of rules.
    num_rules: u32,
    /// Whether all successors of a state belong to one choice: 0 or 1.
    is_chain: u32,
    /// The largest number of successors of a state of a program for which the CPU is not needed.
    most_of_state: u32,
    /// The number of successors of a deadlock: 1 if it is given a self-loop, otherwise 0.
    self_loops: u32,
    /// The number of buckets of the hash table less 1, which is a power of 2 less 1.
    bucket_mask: u32,
    /// The number of bits of a number or place in a slot.
    index_bits: u32,
    /// The largest number of states.
    most_states: u32,
    /// The largest number of candidates, at most MAX_CANDIDATES.
    most_candidates: u32,
    /// The largest number of states of a batch.
    most_batch: u32,
    /// The largest number of transitions; 2^32 - 1 if they are not kept.
    most_transitions: u32,
    /// The largest number of rows; 2^32 - 1 if they are not kept.
    most_rows: u32,
    /// States with more successors than this are not searched for repeated ones.
    most_compared: u32,
}
