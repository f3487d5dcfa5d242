//! The options of a search.

use decompose::{Observer, OpenDevice as Device, Silent};

/// Which algorithm searches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Search {
    /// Howard's policy iteration.
    #[default]
    Howard,
    /// Lawler's binary search.
    Lawler,
    /// The parametric shortest paths of Young, Tarjan and Orlin.
    Yto,
    /// On a GPU: Howard's policy iteration by the kernels of Barnat, Bauch, Brim and Češka (2011),
    /// which go along a policy step by step.
    Paper,
}

/// How to solve.
#[derive(Clone)]
pub struct Options<'a> {
    /// The algorithm.
    pub search: Search,
    /// What computes. A GPU has Howard's policy iteration alone, in both forms.
    pub device: Device,
    /// On a GPU: how many levels a search that leads states to the best cycle of their component
    /// may take. Components that are deeper are left to the host, which goes on from the same
    /// policy.
    pub most_levels: u32,
    /// On a GPU: whether the times of kernels are measured, which takes time itself.
    pub time_passes: bool,
    /// Who watches, and may stop the search. Of components that are solved it hears how many states
    /// they have.
    pub observer: &'a dyn Observer,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Self {
            search: Search::default(),
            device: Device::default(),
            most_levels: 4096,
            time_passes: false,
            observer: &Silent,
        }
    }
}
