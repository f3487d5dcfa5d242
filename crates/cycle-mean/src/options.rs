//! The options of a search.

use decompose::{Observer, OpenDevice, Silent};

/// The search algorithm.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MeanSearch {
    /// Howard's policy iteration.
    #[default]
    Howard,
    /// Lawler's binary search.
    Lawler,
    /// The parametric shortest paths of Young, Tarjan and Orlin.
    Yto,
    /// On a GPU: Howard's policy iteration with the kernels of Barnat, Bauch, Brim and Češka
    /// (2011), which follow a policy step by step.
    Paper,
}

/// The options of a search.
#[derive(Clone)]
pub struct Options<'a> {
    /// The algorithm.
    pub search: MeanSearch,
    /// The device. A GPU supports only Howard's policy iteration, in both forms.
    pub device: OpenDevice,
    /// On a GPU: the maximum number of levels of a search that leads states to the best cycle of
    /// their component. Deeper components are left to the host, which continues with the same
    /// policy.
    pub most_levels: u32,
    /// On a GPU: whether to measure the times of kernels. This takes time.
    pub time_passes: bool,
    /// The observer, which may cancel the search. It receives the number of states of the
    /// components that are solved.
    pub observer: &'a dyn Observer,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Self {
            search: MeanSearch::default(),
            device: OpenDevice::default(),
            most_levels: 4096,
            time_passes: false,
            observer: &Silent,
        }
    }
}
