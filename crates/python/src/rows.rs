//! [`Rows`]: compressed sparse rows, and their components, for `connected_components`.

use crate::numbers::Numbers;
use crate::supervise::{on_all_threads, supervise};
use crate::{borrowed, failure};
use maxend::library::{self, Watch};
use mdp_graph::{BuildError, MdpGraph};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::sync::Arc;

/// A directed graph over two arrays of 32-bit integers, which are borrowed.
#[pyclass(frozen, module = "maxend._maxend")]
pub(crate) struct Rows(mdp_graph::Rows);

#[pymethods]
impl Rows {
    #[new]
    fn new(
        py: Python<'_>,
        indptr: &Bound<'_, PyAny>,
        indices: &Bound<'_, PyAny>,
    ) -> PyResult<Self> {
        borrowed(py, indptr, indices).map(Self)
    }

    /// How many strongly connected components there are, and that of each node.
    fn strong_components(&self, py: Python<'_>) -> PyResult<(usize, Numbers)> {
        let rows = self.0.clone();
        let find = move |watch: &Arc<Watch>| library::scc_numbers(&rows, watch);
        let (count, labels) = supervise(py, None, find)?;
        Ok((count, Numbers(labels)))
    }

    /// The same without the direction of edges.
    fn weak_components(&self, py: Python<'_>) -> PyResult<(usize, Numbers)> {
        let rows = self.0.clone();
        let find = move |_: &Arc<Watch>| Ok(MdpGraph::from(rows).weak_components());
        let (count, labels) = supervise(py, None, find)?;
        Ok((count, Numbers(labels.into())))
    }
}

/// Borrows two arrays.
///
/// # Errors
/// If they are no rows of a graph.
pub(crate) fn borrowed(
    py: Python<'_>,
    indptr: &Bound<'_, PyAny>,
    indices: &Bound<'_, PyAny>,
) -> PyResult<mdp_graph::Rows> {
    let (offsets, targets) = (borrowed::numbers(indptr)?, borrowed::states(indices)?);
    let rows = on_all_threads(py, || mdp_graph::Rows::new(offsets, targets))?;
    rows.map_err(|error| match error {
        BuildError::Offsets { .. } => {
            PyValueError::new_err("indptr must ascend from 0 to the number of indices")
        }
        error => failure::no_graph(py, &error),
    })
}
