//! [`Error`]: why there is no answer.

use crate::bounds::Bounds;
use mdp_graph::StateId;

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The observer asked to stop.
    #[error("the search was cancelled")]
    Cancelled,
    /// The maximal end components could not be found.
    #[error(transparent)]
    Decompose(decompose::Error),
    /// The bounds did not come close enough.
    #[error(
        "after {iterations} iterations {} is known to lie between {} and {}, which is not within \
         {epsilon}",
        .component.map_or_else(
            || "the value".to_owned(),
            |state| format!("the average of the component of state {state}"),
        ),
        .bounds.lower,
        .bounds.upper
    )]
    NotReached {
        /// The smallest state of the component; nothing if it is the value of a state.
        component: Option<StateId>,
        /// What is known.
        bounds: Bounds,
        /// What was wanted.
        epsilon: f64,
        /// The number of iterations.
        iterations: u64,
    },
}

impl From<decompose::Error> for Error {
    fn from(error: decompose::Error) -> Self {
        match error {
            decompose::Error::Cancelled => Self::Cancelled,
            error => Self::Decompose(error),
        }
    }
}
