//! The algorithms that a caller can choose.

/// The algorithm of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ComponentSearch {
    /// The fastest one: on a GPU, the worklist engine, or [`Fbt`](Self::Fbt) if the options of the
    /// papers' engine are set.
    #[default]
    Auto,
    /// The papers' sequential baselines: Tarjan's algorithm ("Tar" in their tables), and for MECs
    /// the basic algorithm ("BM"), corrected by the removal of choices.
    Tarjan,
    /// On a GPU, by the papers' engine: forward-backward search with trimming (FBT).
    Fbt,
    /// The same in its bounding variant (BFBT): the search that ends first bounds the other, which
    /// then explores only what the first has reached.
    Bfbt,
}
