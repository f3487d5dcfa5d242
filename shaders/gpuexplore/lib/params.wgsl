//! The parameters of the kernels of the search of Wijs and Bošnački (2014).

/// The number of invocations of a workgroup.
const SIZE = 256u;

struct GpuexploreParams {
    /// The number of processes, at most SIZE.
    processes: u32,
    /// The place in `network` where the fields begin (`lts_network::WordTables`).
    fields: u32,
    /// The number of words of a rule.
    rule_words: u32,
    /// The number of words of an independent transition, 1 or 2.
    entry_words: u32,
    /// The number of bits of its label.
    label_bits: u32,
    /// The number of iterations of a launch.
    iterations: u32,
    /// The number of vectors for which there is room.
    most_vectors: u32,
    /// The number of stored vectors at which the search stops to make room.
    enough_vectors: u32,
    /// The number of buckets, or of slots of the cuckoo table, less 1: a power of 2 less 1.
    mask: u32,
    /// The largest number of ways in which the processes may synchronise in one state by one rule.
    most_ways: u32,
    /// The work of an invocation after which a workgroup begins no further iteration.
    most_work: u32,
}
