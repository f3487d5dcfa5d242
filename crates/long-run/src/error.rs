//! [`Error`]: why there is no answer.

use crate::bounds::Bounds;
use mdp_graph::{StateId, counted};

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
    /// There is no memory for the model in which each maximal end component is one state.
    #[error(transparent)]
    Quotient(#[from] mdp_graph::BuildError),
    /// A GPU failed.
    #[cfg(feature = "gpu")]
    #[error(transparent)]
    Gpu(::gpu::Error),
    /// The model has more states than are solved exactly.
    #[error("the model has {states} states, and exact averages are computed of at most {most}")]
    TooLarge {
        /// The number of states that it has.
        states: usize,
        /// How many it may have.
        most: usize,
    },
    /// A policy has no average, or no graph. That does not happen where probabilities have a sum of
    /// 1.
    #[error("the equations of a policy have no solution")]
    Singular,
    /// The bounds did not come close enough.
    #[error(
        "after {} {} is known to lie between {} and {}, which is not within \
         {}",
        counted(*.iterations, "iteration", "iterations"),
        .component.map_or_else(
            || "the value".to_owned(),
            |state| format!("the average of the component of state {state}"),
        ),
        shown(.bounds.lower),
        shown(.bounds.upper),
        shown(*.epsilon)
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
            #[cfg(feature = "gpu")]
            decompose::Error::Gpu(error) => Self::Gpu(error),
            error => Self::Decompose(error),
        }
    }
}

#[cfg(feature = "gpu")]
impl From<::gpu::Error> for Error {
    fn from(error: ::gpu::Error) -> Self {
        decompose::Error::from(error).into()
    }
}

/// A number as people read it: one of very many digits by its exponent.
fn shown(number: f64) -> String {
    // 0 has no sign.
    let number = number + 0.0;
    match number == 0.0 || (1e-6..1e16).contains(&number.abs()) {
        true => number.to_string(),
        false => format!("{number:e}"),
    }
}
