//! The algorithms that a caller can choose.

/// The algorithm of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ComponentSearch {
    /// The fastest one; but on a GPU, [`Fbt`](Self::Fbt) if the options of the papers' engine are
    /// set.
    #[default]
    Auto,
    /// The papers' sequential baselines: Tarjan's algorithm ("Tar" in their tables), and for MECs
    /// the basic algorithm ("BM"), corrected by the removal of choices.
    Tarjan,
    /// On a GPU: forward-backward search with trimming (the papers' FBT).
    Fbt,
    /// On a GPU: its bounding variant (BFBT), in which the search that ends first bounds the other.
    Bfbt,
}
