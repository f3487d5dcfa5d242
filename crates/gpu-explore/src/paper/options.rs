//! The options of the paper's search.

/// The configuration of the paper's search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Paper {
    /// The hash table.
    pub table: Table,
    /// Whether each workgroup collects successors in its own cache.
    pub local_cache: bool,
    /// Whether a workgroup expands the states that it has stored in its next iteration.
    pub forwarding: bool,
    /// The number of iterations in a launch, at least 1.
    pub iterations: u32,
}

impl Default for Paper {
    /// Returns the default options: double hashing, 10 iterations.
    fn default() -> Self {
        Self {
            table: Table::Double,
            local_cache: false,
            forwarding: false,
            iterations: 10,
        }
    }
}

/// A hash table of the paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Table {
    /// Buckets; double hashing tries up to 8 of them.
    Double,
    /// Cuckoo hashing with four functions.
    Cuckoo,
}
