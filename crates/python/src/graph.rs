//! [`Graph`]: a graph whose arrays may be owned by Python or by Rust.

use crate::components::Components;
use crate::supervise::{on_all_threads, supervise};
use crate::{borrowed, failure, numbers, rows};
use maxend::library::{self, Decomposing, DeviceChoice};
use mdp_graph::{ComponentKind, MdpGraph};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyByteArray;
use std::num::NonZeroUsize;

/// A graph: states, choices and branches.
#[pyclass(frozen, module = "maxend._maxend")]
pub(crate) struct Graph(pub(crate) MdpGraph);

/// The device, the name of an adapter, the number of threads, and whether to certify.
type How = (String, Option<String>, Option<NonZeroUsize>, bool);

#[pymethods]
impl Graph {
    /// Makes a graph of three arrays of 32-bit integers, which are borrowed.
    #[staticmethod]
    fn from_arrays(
        py: Python<'_>,
        choices: &Bound<'_, PyAny>,
        branches: &Bound<'_, PyAny>,
        targets: &Bound<'_, PyAny>,
    ) -> PyResult<Self> {
        let (choices, branches) = (borrowed::numbers(choices)?, borrowed::numbers(branches)?);
        let targets = borrowed::states(targets)?;
        let check = || MdpGraph::from_arrays(choices, branches, targets);
        let graph = on_all_threads(py, check)?;
        graph
            .map(Self)
            .map_err(|error| failure::no_graph(py, &error))
    }

    /// Makes a graph in which each state has one choice, or none if its row is empty.
    #[staticmethod]
    fn from_csr(
        py: Python<'_>,
        indptr: &Bound<'_, PyAny>,
        indices: &Bound<'_, PyAny>,
    ) -> PyResult<Self> {
        let rows = rows::borrowed(py, indptr, indices)?;
        Ok(Self(on_all_threads(py, || MdpGraph::from(rows))?))
    }

    #[getter]
    fn num_states(&self) -> usize {
        self.0.num_states()
    }

    #[getter]
    fn num_choices(&self) -> usize {
        self.0.num_choices()
    }

    #[getter]
    fn num_branches(&self) -> usize {
        self.0.num_branches()
    }

    /// Returns the offsets of states into the choices.
    fn choices<'py>(&self, py: Python<'py>) -> Bound<'py, PyByteArray> {
        numbers::copy_of(py, self.0.choice_offsets())
    }

    /// Returns the offsets of choices into the branches.
    fn branches<'py>(&self, py: Python<'py>) -> Bound<'py, PyByteArray> {
        numbers::copy_of(py, self.0.branch_offsets())
    }

    /// Returns the targets of the branches.
    fn targets<'py>(&self, py: Python<'py>) -> Bound<'py, PyByteArray> {
        numbers::copy_of(py, self.0.all_targets())
    }

    /// Computes the components, whose kind is `scc`, `mec` or `bscc`.
    fn decompose(
        &self,
        py: Python<'_>,
        kind: &str,
        how: How,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Components> {
        let (device, adapter, threads, certify) = how;
        let how = Decomposing {
            kind: match kind {
                "scc" => ComponentKind::Scc,
                "mec" => ComponentKind::Mec,
                _ => ComponentKind::Bscc,
            },
            device: chosen(&device, adapter)?,
            threads,
            certify,
        };
        let graph = self.0.clone();
        let found = supervise(py, progress, {
            let graph = graph.clone();
            move |supervisor| library::decompose(&graph, &how, supervisor)
        })?;
        Ok(Components { graph, found })
    }
}

fn chosen(device: &str, adapter: Option<String>) -> PyResult<DeviceChoice> {
    match (device, adapter) {
        ("gpu", adapter) => Ok(DeviceChoice::Gpu(adapter)),
        ("auto", Some(adapter)) => Ok(DeviceChoice::Gpu(Some(adapter))),
        ("auto", None) => Ok(DeviceChoice::Auto),
        ("cpu", None) => Ok(DeviceChoice::Cpu),
        ("cpu", Some(_)) => Err(PyValueError::new_err(
            "an adapter is a GPU, but device is 'cpu'",
        )),
        _ => Err(PyValueError::new_err(format!(
            "device must be 'auto', 'cpu' or 'gpu', not {device:?}"
        ))),
    }
}
