//! [`Error`]: the reason for which there is no answer.

use crate::bounds::Bounds;
use crate::precision::Precision;
use mdp_graph::{StateId, counted};
use std::fmt;

/// The reason for which there is no answer.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The observer cancelled the search.
    #[error("the search was cancelled")]
    Cancelled,
    /// The maximal end components could not be found.
    #[error(transparent)]
    Decompose(decompose::Error),
    /// There is no memory for the model in which each maximal end component is one state.
    #[error(transparent)]
    Quotient(#[from] mdp_graph::BuildError),
    /// There is no memory for a table of the search.
    #[error(transparent)]
    OutOfMemory(#[from] mdp_graph::OutOfMemory),
    /// A GPU failed.
    #[cfg(feature = "gpu")]
    #[error(transparent)]
    Gpu(::gpu::Error),
    /// The model has too many states for an exact solution.
    #[error("the model has {states} states, and exact averages are computed for at most {most}")]
    TooLarge {
        /// The number of states of the model.
        states: usize,
        /// The maximum number of states.
        most: usize,
    },
    /// A policy has no average, or no graph. This does not happen if probabilities have a sum of 1.
    #[error("the equations of a policy have no solution")]
    Singular,
    /// The bounds did not become close enough.
    #[error(
        "after {} the average {of} is known to lie between {} and {}, which is not within {}{}{}",
        counted(*.iterations, "iteration", "iterations"),
        shown(.bounds.lower),
        shown(.bounds.upper),
        shown(*.epsilon),
        match is_relative {
            true => " times the average",
            false => "",
        },
        match is_settled {
            true => ", and more iterations do not move these bounds",
            false => "",
        },
    )]
    NotReached {
        /// Whose average it is.
        of: Subject,
        /// The bounds that were reached.
        bounds: Bounds,
        /// The required distance of the bounds.
        epsilon: f64,
        /// Whether this distance is a part of the average.
        is_relative: bool,
        /// The number of iterations.
        iterations: u64,
        /// Whether more iterations would not move the bounds, because of rounding.
        is_settled: bool,
    },
}

impl Error {
    /// Returns the error for bounds that are not as close as `precision` says.
    pub(crate) fn not_reached(
        of: Subject,
        bounds: Bounds,
        precision: Precision,
        iterations: u64,
        is_settled: bool,
    ) -> Self {
        Self::NotReached {
            of,
            bounds,
            epsilon: precision.epsilon(),
            is_relative: precision.is_relative(),
            iterations,
            is_settled,
        }
    }
}

/// What has an average.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// The component with this smallest state.
    Component(StateId),
    /// The runs that begin in this state.
    From(StateId),
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Component(state) => write!(f, "of the component of state {state}"),
            Self::From(state) => write!(f, "from state {state}"),
        }
    }
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

/// Formats a number. If it would have very many digits, its exponent is shown.
fn shown(number: f64) -> String {
    // The sign of 0 is removed.
    let number = number + 0.0;
    match number == 0.0 || (1e-6..1e16).contains(&number.abs()) {
        true => number.to_string(),
        false => format!("{number:e}"),
    }
}
