//! [`Counted`]: what is known of a model whose states were only counted.

use crate::model::Times;
use gpu_explore::Counts;
use prism_explicit::ModelType;
use prism_language::Value;

/// The size of a state space, and the facts about the model.
pub(crate) struct Counted {
    pub(crate) counts: Counts,
    pub(crate) model_type: ModelType,
    /// The constants to which the command line gives values, with these values.
    pub(crate) constants: Vec<(String, Value)>,
    /// The times to read the file, and to explore.
    pub(crate) times: Times,
}
