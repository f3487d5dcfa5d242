//! The size of a model, as far as it is known before all of it has been read.

use decompose::cost::EdgeSample;

/// The size of a model, known or estimated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SizeHint {
    /// The model's text has this many bytes.
    TextBytes(usize),
    /// The model has about this many states and branches. If possible, its edges have been sampled.
    Graph {
        states: u64,
        branches: u64,
        sample: Option<EdgeSample>,
    },
}
