//! What a caller can ask of a search.

use decompose::{Observer, Silent};

/// How to solve.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    /// How far apart the bounds may be: of the gains half as much, and of the values of the wanted
    /// states. Default: 1e-6.
    pub epsilon: f64,
    /// The most iterations for one component, and for the values of states. Default: a million.
    pub max_iterations: u64,
    /// Who watches, and may stop the search. Of components that are solved it hears how many states
    /// they have.
    pub observer: &'a dyn Observer,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Self {
            epsilon: 1e-6,
            max_iterations: 1_000_000,
            observer: &Silent,
        }
    }
}
