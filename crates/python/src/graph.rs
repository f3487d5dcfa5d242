//! [`Graph`]: a graph whose arrays may be owned by Python or by Rust.

use crate::components::Components;
use crate::distances::Distances;
use crate::options::Options;
use crate::supervise::{on_all_threads, supervise};
use crate::{borrowed, failure, numbers, rows};
use maxend::library::{self, Decomposing, Searching};
use mdp_graph::{ComponentKind, MdpGraph};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

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
    fn choices<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        numbers::copy_of(py, self.0.choice_offsets())
    }

    /// Returns the offsets of choices into the branches.
    fn branches<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        numbers::copy_of(py, self.0.branch_offsets())
    }

    /// Returns the targets of the branches.
    fn targets<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        numbers::copy_of(py, self.0.all_targets())
    }

    /// Checks that the graph may be one of a model of this type, and returns the name of the type.
    fn check_type(&self, py: Python<'_>, type_name: &str) -> PyResult<&'static str> {
        let checked = on_all_threads(py, || library::check_type(&self.0, type_name))?;
        checked.map_err(|failure| failure::exception(py, failure))
    }

    /// Computes the components.
    fn decompose(
        &self,
        py: Python<'_>,
        kind: &str,
        options: Options,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Components> {
        let options = Decomposing {
            kind: component_kind(kind)?,
            threads: options.threads,
            certify: options.certify,
            device: options.device()?,
        };
        let graph = self.0.clone();
        let found = supervise(py, progress, {
            let graph = graph.clone();
            move |supervisor| library::decompose(&graph, &options, supervisor)
        })?;
        Ok(Components { graph, found })
    }

    /// Searches breadth-first from the states in `sources`, an array of 32-bit integers.
    fn bfs(
        &self,
        py: Python<'_>,
        sources: &Bound<'_, PyAny>,
        options: Options,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Distances> {
        let options = Searching {
            threads: options.threads,
            certify: options.certify,
            device: options.device()?,
        };
        let (graph, sources) = (self.0.clone(), borrowed::states(sources)?.to_vec());
        let found = supervise(py, progress, move |supervisor| {
            library::search(&graph, &sources, &options, supervisor)
        })?;
        Ok(Distances(found))
    }
}

fn component_kind(name: &str) -> PyResult<ComponentKind> {
    match name {
        "scc" => Ok(ComponentKind::Scc),
        "mec" => Ok(ComponentKind::Mec),
        "bscc" => Ok(ComponentKind::Bscc),
        _ => Err(PyValueError::new_err(format!(
            "kind must be 'scc', 'mec' or 'bscc', not {name:?}"
        ))),
    }
}
