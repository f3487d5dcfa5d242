//! What a caller can ask of a decomposition, and how it can watch and stop one.

/// Which algorithm searches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Search {
    /// The fastest that there is.
    #[default]
    Auto,
    /// The papers' sequential baselines: Tarjan's algorithm ("Tar" in their tables), and for MECs
    /// the basic algorithm ("BM"), corrected by the removal of choices.
    Tarjan,
}

/// Watches a decomposition, from any thread.
pub trait Observer: Sync {
    /// `done` of `total` states have their final answer. Called a few times a second at most.
    fn progress(&self, done: u64, total: u64) {
        let _ = (done, total);
    }

    /// Whether to stop. Asked often: make it cheap.
    fn is_cancelled(&self) -> bool {
        false
    }
}

/// The observer that neither watches nor stops.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {}

/// How to decompose.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    /// The algorithm.
    pub search: Search,
    /// Who watches.
    pub observer: &'a dyn Observer,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Self {
            search: Search::default(),
            observer: &Silent,
        }
    }
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The observer asked to stop.
    #[error("the decomposition was cancelled")]
    Cancelled,
}
