//! [`Error`]: the reason why a computation of a cluster failed.

use crate::certificate::Violation;
use crate::net::Net;
use explore::ExpandError;

/// The error of a system, of any type.
pub type SystemError = Box<dyn std::error::Error + Send + Sync>;

/// The reason why a computation of a cluster failed. All workers end at the same point.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The part of a worker is larger than its numbers can count.
    #[error(
        "worker {worker} has more states, choices or branches than one worker can number \
         (2,147,483,646 states with those its choices lead to, 4,294,967,294 branches): \
         use more workers"
    )]
    TooLarge {
        /// The worker.
        worker: usize,
    },
    /// A state has no choice, and the options do not permit this.
    #[error("state {state} has no choice")]
    Deadlock {
        /// The first such state.
        state: u64,
    },
    /// A worker could not decompose its part.
    #[error("{0}")]
    Decompose(#[from] decompose::Error),
    /// A system cannot be explored. This is the error that it returned.
    #[error("{0}")]
    System(SystemError),
    /// There are more states than allowed.
    #[error("there are more than {limit} states")]
    TooManyStates {
        /// The largest number that is allowed.
        limit: u64,
    },
    /// A certificate shows that an answer is wrong.
    #[error("{0}")]
    Violation(Violation),
    /// The user asked to stop.
    #[error("cancelled")]
    Cancelled,
    /// A worker could not write its results.
    #[error("{0}")]
    Write(String),
    /// Another worker failed, for the given reason.
    #[error("worker {worker} gave up")]
    Elsewhere {
        /// The first worker that failed.
        worker: usize,
    },
}

impl Error {
    /// Returns the error for a state whose choices could not be computed. An error of the system
    /// itself is not changed.
    pub(crate) fn of_system<E>(error: ExpandError<E>) -> SystemError
    where
        E: std::error::Error + Send + Sync + 'static,
    {
        match error {
            ExpandError::System(error) => error.into(),
            other => other.into(),
        }
    }
}

/// Returns the value of this worker if all workers succeeded.
///
/// # Errors
/// The error of this worker, or [`Error::Elsewhere`] if only others failed.
pub fn agree<T>(net: &mut Net<'_>, own: Result<T, Error>) -> Result<T, Error> {
    let failed = net.gather(u64::from(own.is_err()));
    match (own, failed.iter().position(|&failed| failed == 1)) {
        (Ok(_), Some(worker)) => Err(Error::Elsewhere { worker }),
        (own, _) => own,
    }
}
