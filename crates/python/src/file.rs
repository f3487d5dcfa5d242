//! [`File`]: a model with what it has besides its graph, and the options of reading it from a file.

use crate::borrowed::doubles;
use crate::failure;
use crate::graph::Graph;
use crate::numbers::{bytes_of, copy_of};
use crate::supervise::supervise;
use maxend::library::{self, Reading};
use mdp_graph::{Deadlocks, StateId};
use pyo3::exceptions::{PyKeyError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;

/// A model: the contents of a file, or a graph with its probabilities.
#[pyclass(frozen, module = "maxend._maxend")]
pub(crate) struct File(pub(crate) Arc<library::Model>);

/// The values of a reward structure.
type Amounts<'py> = Option<Bound<'py, PyBytes>>;

/// A reward structure: its name, and the rewards of states, choices and branches.
type Structure<'py> = (Option<String>, Amounts<'py>, Amounts<'py>, Amounts<'py>);

#[pymethods]
impl File {
    /// Makes a model without a file. `probabilities` is an array of doubles, or `None`.
    #[staticmethod]
    fn from_graph(
        py: Python<'_>,
        graph: &Graph,
        type_name: &str,
        probabilities: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let probabilities = probabilities.map(doubles).transpose()?;
        let model = library::Model::from_graph(graph.0.clone(), type_name, probabilities);
        let model = model.map_err(|failure| failure::exception(py, failure))?;
        Ok(Self(Arc::new(model)))
    }

    #[getter]
    fn graph(&self) -> Graph {
        Graph(self.0.graph().clone())
    }

    #[getter]
    fn type_name(&self) -> &'static str {
        self.0.type_name()
    }

    #[getter]
    fn format(&self) -> &'static str {
        self.0.format()
    }

    #[getter]
    fn deadlocks(&self) -> u64 {
        self.0.deadlocks()
    }

    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.0.warnings().to_vec()
    }

    fn initial_states<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        copy_of(py, self.0.initial_states())
    }

    fn labels(&self) -> Vec<&str> {
        self.0.labels().map(|(name, _)| name).collect()
    }

    /// Returns the states with a label.
    fn label<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyBytes>> {
        let found = self.0.labels().find(|(known, _)| *known == name);
        let (_, states) = found.ok_or_else(|| PyKeyError::new_err(name.to_owned()))?;
        Ok(copy_of(py, states))
    }

    fn variables(&self) -> Vec<String> {
        self.0.variables().to_vec()
    }

    /// Returns whether variable `i` is Boolean, and its value in each state.
    fn values<'py>(&self, py: Python<'py>, i: usize) -> PyResult<(bool, Bound<'py, PyBytes>)> {
        let states = 0..self.0.graph().num_states();
        let values = states.map(|state| self.0.value(StateId::from_index(state), i));
        let is_bool = self.0.is_bool(i);
        let bytes = match is_bool {
            true => bytes_of(py, values.map(|value| u8::from(value != 0))),
            false => bytes_of(py, values),
        };
        Ok((is_bool, bytes?))
    }

    fn probabilities<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyBytes>> {
        self.0.probabilities().map(|values| copy_of(py, values))
    }

    /// Returns the names of actions, and the index of the action of each choice.
    fn actions<'py>(&self, py: Python<'py>) -> Option<(Vec<String>, Bound<'py, PyBytes>)> {
        let (names, actions) = self.0.actions()?;
        Some((names.to_vec(), copy_of(py, actions)))
    }

    fn rewards<'py>(&self, py: Python<'py>) -> Vec<Structure<'py>> {
        let amounts = |values: Option<&[f64]>| values.map(|values| copy_of(py, values));
        let structures = self.0.rewards();
        let shown = structures.map(|of| {
            let name = of.name.map(str::to_owned);
            (
                name,
                amounts(of.states),
                amounts(of.choices),
                amounts(of.branches),
            )
        });
        shown.collect()
    }
}

/// The options of reading a model; see `maxend.read`.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Options {
    constants: Vec<(String, String)>,
    deadlocks: String,
    details: bool,
    states: Option<PathBuf>,
    labels: Option<PathBuf>,
    model_type: Option<String>,
    allow_any_sum: bool,
    max_states: Option<u64>,
    max_memory: Option<u64>,
    threads: Option<NonZeroUsize>,
}

impl Options {
    fn of(self, file: PathBuf) -> PyResult<Reading> {
        Ok(Reading {
            file,
            constants: self.constants,
            deadlocks: match self.deadlocks.as_str() {
                "self-loop" => Deadlocks::SelfLoop,
                "keep" => Deadlocks::Keep,
                "error" => Deadlocks::Refuse,
                other => {
                    return Err(PyValueError::new_err(format!(
                        "deadlocks must be 'self-loop', 'keep' or 'error', not {other:?}"
                    )));
                }
            },
            details: self.details,
            states: self.states,
            labels: self.labels,
            model_type: self.model_type,
            allow_any_sum: self.allow_any_sum,
            max_states: self.max_states,
            max_memory: self.max_memory,
            threads: self.threads,
        })
    }
}

/// Reads a model of any format.
#[pyfunction]
pub(crate) fn read(
    py: Python<'_>,
    file: PathBuf,
    options: Options,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<File> {
    let reading = options.of(file)?;
    let read = supervise(py, progress, move |supervisor| {
        library::read(&reading, supervisor)
    });
    Ok(File(Arc::new(read?)))
}
