//! The answer of a decomposition, and the forms in which it leaves the workers.

mod collect;
mod component_labels;
mod numbering;
mod relay;
mod statistics;

pub use collect::collect;
pub use component_labels::ComponentLabels;
pub use numbering::{component_numbers, words_of};
pub use relay::relay;
pub use statistics::Statistics;
