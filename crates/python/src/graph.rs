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

    /// Computes the components.
    fn decompose(
        &self,
        py: Python<'_>,
        options: Options,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Components> {
        let options = Decomposing::try_from(options)?;
        let graph = self.0.clone();
        let found = supervise(py, progress, {
            let graph = graph.clone();
            move |supervisor| library::decompose(&graph, &options, supervisor)
        })?;
        Ok(Components { graph, found })
    }
}

/// The options of a decomposition; see `maxend.Model.scc`.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct Options {
    kind: String,
    device: String,
    adapter: Option<String>,
    threads: Option<NonZeroUsize>,
    certify: bool,
}

impl TryFrom<Options> for Decomposing {
    type Error = PyErr;

    fn try_from(options: Options) -> PyResult<Self> {
        Ok(Self {
            kind: kind(&options.kind)?,
            device: device(&options.device, options.adapter)?,
            threads: options.threads,
            certify: options.certify,
        })
    }
}

fn kind(name: &str) -> PyResult<ComponentKind> {
    match name {
        "scc" => Ok(ComponentKind::Scc),
        "mec" => Ok(ComponentKind::Mec),
        "bscc" => Ok(ComponentKind::Bscc),
        _ => Err(PyValueError::new_err(format!(
            "kind must be 'scc', 'mec' or 'bscc', not {name:?}"
        ))),
    }
}

fn device(name: &str, adapter: Option<String>) -> PyResult<DeviceChoice> {
    match (name, adapter) {
        ("gpu", adapter) => Ok(DeviceChoice::Gpu(adapter)),
        ("auto", Some(adapter)) => Ok(DeviceChoice::Gpu(Some(adapter))),
        ("auto", None) => Ok(DeviceChoice::Auto),
        ("cpu", None) => Ok(DeviceChoice::Cpu),
        ("cpu", Some(_)) => Err(PyValueError::new_err(
            "an adapter is a GPU, but device is 'cpu'",
        )),
        _ => Err(PyValueError::new_err(format!(
            "device must be 'auto', 'cpu' or 'gpu', not {name:?}"
        ))),
    }
}
