//! [`Rows`]: compressed sparse rows, and their components, for `connected_components`.

use crate::numbers::Numbers;
use crate::supervise::{at_once, on_all_threads, supervise};
use crate::{borrowed, failure};
use maxend::library::{self, Supervisor};
use mdp_graph::{Array, BuildError, Index, MdpGraph, UncheckedRows};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::sync::Arc;

/// A search of a graph with fewer nodes and edges than this takes a fraction of a second.
const SHORT: usize = 1 << 22;

/// A directed graph of two arrays of integers, which are borrowed. The searches for components
/// check whether all targets are nodes.
#[pyclass(frozen, module = "maxend._maxend")]
pub(crate) struct Rows(OfWidth);

/// The arrays, of 32 or 64 bits.
enum OfWidth {
    Narrow(UncheckedRows<u32>),
    Wide(UncheckedRows<u64>),
}

#[pymethods]
impl Rows {
    #[new]
    fn new(
        py: Python<'_>,
        indptr: &Bound<'_, PyAny>,
        indices: &Bound<'_, PyAny>,
    ) -> PyResult<Self> {
        let wide = [indptr, indices].map(borrowed::wide_numbers);
        if let [Ok(Some(offsets)), Ok(Some(targets))] = wide {
            return Ok(Self(OfWidth::Wide(unchecked(py, offsets, targets)?)));
        }
        let (offsets, targets) = (borrowed::numbers(indptr)?, borrowed::numbers(indices)?);
        Ok(Self(OfWidth::Narrow(unchecked(py, offsets, targets)?)))
    }

    /// Returns the number of strongly connected components, and the component of each node.
    fn strong_components(&self, py: Python<'_>) -> PyResult<(usize, Numbers)> {
        match &self.0 {
            OfWidth::Narrow(rows) => strong_components(py, rows.clone()),
            OfWidth::Wide(rows) => strong_components(py, rows.clone()),
        }
    }

    /// Returns the number of weakly connected components, and the component of each node.
    fn weak_components(&self, py: Python<'_>) -> PyResult<(usize, Numbers)> {
        let rows = on_all_threads(py, || match &self.0 {
            OfWidth::Narrow(rows) => rows.check(),
            OfWidth::Wide(rows) => rows.check(),
        })?;
        let rows = rows.map_err(|error| no_rows(py, error))?;
        // A forked process has none of the threads of its parent, so the graph is made on the pool
        // of this process.
        let find = move |supervisor: &Arc<Supervisor>| {
            let graph = library::on_all_threads(|| MdpGraph::from(rows))?;
            library::weak_components(&graph, supervisor)
        };
        let (count, labels) = supervise(py, None, find)?;
        Ok((count, Numbers(labels.into())))
    }
}

fn strong_components<I: Index>(
    py: Python<'_>,
    rows: UncheckedRows<I>,
) -> PyResult<(usize, Numbers)> {
    let (count, labels) = match rows.num_states() + rows.targets().len() {
        ..SHORT => at_once(py, |supervisor| library::scc_numbers(&rows, supervisor))?,
        _ => {
            let find = move |supervisor: &Arc<Supervisor>| library::scc_numbers(&rows, supervisor);
            supervise(py, None, find)?
        }
    };
    Ok((count, Numbers(labels)))
}

fn unchecked<I: Index>(
    py: Python<'_>,
    offsets: Array<I>,
    targets: Array<I>,
) -> PyResult<UncheckedRows<I>> {
    let rows = on_all_threads(py, || UncheckedRows::new(offsets, targets))?;
    rows.map_err(|error| no_rows(py, error))
}

/// Borrows two arrays as the rows of a graph.
///
/// # Errors
/// If the arrays do not describe a graph.
pub(crate) fn borrowed(
    py: Python<'_>,
    indptr: &Bound<'_, PyAny>,
    indices: &Bound<'_, PyAny>,
) -> PyResult<mdp_graph::Rows> {
    let (offsets, targets) = (borrowed::numbers(indptr)?, borrowed::states(indices)?);
    let rows = on_all_threads(py, || mdp_graph::Rows::new(offsets, targets))?;
    rows.map_err(|error| no_rows(py, error))
}

/// Returns the exception for arrays that are not the rows of a graph.
fn no_rows(py: Python<'_>, error: BuildError) -> PyErr {
    match error {
        BuildError::Offsets { .. } => {
            PyValueError::new_err("indptr must ascend from 0 to the number of indices")
        }
        error => failure::no_graph(py, &error),
    }
}
