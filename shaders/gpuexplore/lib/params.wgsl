//! The parameters of the kernels of the paper's search.

/// Invocations of a workgroup.
const SIZE = 256u;

struct GpuexploreParams {
    /// The number of processes, at most SIZE.
    processes: u32,
    /// Where in `network` the fields begin (`lts_network::WordTables`).
    fields: u32,
    /// The words of a rule.
    rule_words: u32,
    /// The words of an independent transition, 1 or 2.
    entry_words: u32,
    /// The bits of its label.
    label_bits: u32,
    /// How many iterations a launch has.
    iterations: u32,
    /// How many vectors there is room for.
    most_vectors: u32,
    /// The search stops to make room when so many vectors are stored.
    enough_vectors: u32,
    /// The number of buckets, or of slots of the cuckoo table, less 1: a power of 2 less 1.
    mask: u32,
    /// In how many ways the processes may synchronise in one state by one rule.
    most_ways: u32,
    /// A workgroup begins no iteration after so much work of an invocation.
    most_work: u32,
}
