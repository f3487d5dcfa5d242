//! The options of a search.

use decompose::{Observer, OpenDevice as Device, Silent};

/// How to solve.
#[derive(Clone)]
pub struct Options<'a> {
    /// What computes. A GPU finds components, and values that lead to their gains; bounds are
    /// computed on the processor.
    pub device: Device,
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
            device: Device::default(),
            epsilon: 1e-6,
            max_iterations: 1_000_000,
            observer: &Silent,
        }
    }
}
