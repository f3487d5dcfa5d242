//! The data that the parts of a search share: the observer, the objective and the limit.

use crate::bounds::Bounds;
use crate::error::Error;
use decompose::Observer;
use mdp_graph::Objective;

/// The data that the parts of a search share.
pub(crate) struct Context<'a> {
    pub(crate) observer: &'a dyn Observer,
    pub(crate) objective: Objective,
    pub(crate) max_iterations: u64,
}

impl Context<'_> {
    pub(crate) fn check(&self) -> Result<(), Error> {
        match self.observer.is_cancelled() {
            true => Err(Error::Cancelled),
            false => Ok(()),
        }
    }

    /// Returns bounds with the sign that callers expect: negated if the least average is sought.
    pub(crate) fn signed(&self, bounds: Bounds) -> Bounds {
        match self.objective {
            Objective::Max => bounds,
            Objective::Min => bounds.negated(),
        }
    }
}
