//! [`Rows`]: compressed sparse rows, and their components, for `connected_components`.

use crate::numbers::Numbers;
use crate::supervise::{on_all_threads, supervise};
use crate::{borrowed, failure};
use maxend::library::{self, Supervisor};
use mdp_graph::{Array, BuildError, Index, MdpGraph, UncheckedRows};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::sync::Arc;

/// A directed graph over two arrays of integers, which are borrowed. Whether all targets are nodes
/// is found out by those who look for components.
#[pyclass(frozen, module = "maxend._maxend")]
pub(crate) struct Rows(OfWidth);

/// Arrays of 32 bits or of 64 bits.
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

    /// How many strongly connected components there are, and that of each node.
    fn strong_components(&self, py: Python<'_>) -> PyResult<(usize, Numbers)> {
        match &self.0 {
            OfWidth::Narrow(rows) => strong_components(py, rows.clone()),
            OfWidth::Wide(rows) => strong_components(py, rows.clone()),
        }
    }

    /// The same without the direction of edges.
    fn weak_components(&self, py: Python<'_>) -> PyResult<(usize, Numbers)> {
        let rows = on_all_threads(py, || match &self.0 {
            OfWidth::Narrow(rows) => rows.check(),
            OfWidth::Wide(rows) => rows.check(),
        })?;
        let rows = rows.map_err(|error| no_rows(py, error))?;
        // A forked process has none of the threads of its parent, so the graph is made on the pool
        // of this process. The search takes one thread, and does not stop before its end: after
        // Ctrl-C, its result is dropped.
        let find = move |_: &Arc<Supervisor>| {
            let graph = library::on_all_threads(|| MdpGraph::from(rows))?;
            Ok(graph.weak_components())
        };
        let (count, labels) = supervise(py, None, find)?;
        Ok((count, Numbers(labels.into())))
    }
}

fn strong_components<I: Index>(
    py: Python<'_>,
    rows: UncheckedRows<I>,
) -> PyResult<(usize, Numbers)> {
    let find = move |supervisor: &Arc<Supervisor>| library::scc_numbers(&rows, supervisor);
    let (count, labels) = supervise(py, None, find)?;
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
    rows.map_err(|error| no_rows(py, error))
}

/// The exception for arrays that are no rows of a graph.
fn no_rows(py: Python<'_>, error: BuildError) -> PyErr {
    match error {
        BuildError::Offsets { .. } => {
            PyValueError::new_err("indptr must ascend from 0 to the number of indices")
        }
        error => failure::no_graph(py, &error),
    }
}
