//! The choices of the paper's search.

/// How the paper's search works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Paper {
    /// Which hash table there is.
    pub table: Table,
    /// Whether workgroups collect successors in caches of their own.
    pub local_cache: bool,
    /// Whether a workgroup expands in its next iteration what it has stored.
    pub forwarding: bool,
    /// How many iterations a launch has, at least 1.
    pub iterations: u32,
}

impl Default for Paper {
    /// Double hashing, 10 iterations.
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
    /// Buckets, of which up to 8 are tried, by double hashing.
    Double,
    /// Cuckoo hashing with four functions.
    Cuckoo,
}
