//! The data that the parts of a search share: when they end, and which averages they look for.

use crate::bounds::Bounds;
use crate::error::Error;
use decompose::Observer;
use mdp_graph::Objective;

/// What the parts of a search share.
pub(crate) struct Control<'a> {
    pub(crate) observer: &'a dyn Observer,
    pub(crate) objective: Objective,
    pub(crate) max_iterations: u64,
}

impl Control<'_> {
    pub(crate) fn check(&self) -> Result<(), Error> {
        match self.observer.is_cancelled() {
            true => Err(Error::Cancelled),
            false => Ok(()),
        }
    }

    /// Bounds with the sign that the caller knows.
    pub(crate) fn signed(&self, bounds: Bounds) -> Bounds {
        match self.objective {
            Objective::Max => bounds,
            Objective::Min => bounds.negated(),
        }
    }
}
