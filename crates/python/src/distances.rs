//! [`Distances`]: the distances of states from the sources of a breadth-first search.

use crate::borrowed;
use crate::numbers::copy_of;
use maxend::library;
use mdp_graph::StateId;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// The distances of states, and shortest paths.
#[pyclass(frozen, module = "maxend._maxend")]
pub(crate) struct Distances(pub(crate) library::Distances);

#[pymethods]
impl Distances {
    /// Returns the device that computed them.
    #[getter]
    fn device(&self) -> &str {
        &self.0.device
    }

    /// Returns the distance of each state, or -1 if it was not reached.
    fn distances<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        // The mark of no distance, as a signed number, is -1. Only distances from 2^31 on would
        // become negative.
        copy_of(py, self.0.tree.distances())
    }

    /// Returns the parent of each state, or -1 if it has none.
    fn parents<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        copy_of(py, self.0.tree.parents())
    }

    /// Returns a shortest path to the nearest of `targets`, an array of 32-bit integers.
    fn path(&self, targets: &Bound<'_, PyAny>) -> PyResult<Option<Vec<u32>>> {
        let tree = &self.0.tree;
        let targets = borrowed::states(targets)?;
        let nearest = tree.nearest(targets.iter().copied());
        let path = nearest.and_then(|target| tree.path_to(target));
        Ok(path.map(|path| StateId::as_numbers(&path).to_vec()))
    }
}
