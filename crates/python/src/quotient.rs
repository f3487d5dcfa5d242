//! [`Quotient`]: a graph in which each component of another one is a single state.

use crate::borrowed::doubles;
use crate::components::Components;
use crate::failure;
use crate::graph::Graph;
use crate::numbers::{bytes_of, copy_of};
use crate::supervise::on_all_threads;
use mdp_graph::{ChoiceId, ComponentKind, MdpGraph, StateId, StayPolicy};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// A graph in which each component of another one is a single state.
#[pyclass(frozen, module = "maxend._maxend")]
pub(crate) struct Quotient {
    original: MdpGraph,
    quotient: mdp_graph::Quotient,
}

#[pymethods]
impl Quotient {
    /// Makes the quotient by these components. For strongly connected components, this is the
    /// condensation.
    #[new]
    fn new(py: Python<'_>, components: &Components, stay: bool) -> PyResult<Self> {
        let (original, components) = (&components.graph, &components.found.components);
        let staying = match stay {
            true => StayPolicy::ToSink,
            false => StayPolicy::MustLeave,
        };
        let make = || match components.kind() {
            ComponentKind::Scc => mdp_graph::Quotient::condensation(original, components),
            _ => mdp_graph::Quotient::of_end_components(original, components, staying),
        };
        let quotient = on_all_threads(py, make)?;
        Ok(Self {
            original: original.clone(),
            quotient: quotient.map_err(|error| failure::no_graph(py, &error))?,
        })
    }

    /// Returns the graph.
    #[getter]
    fn graph(&self) -> Graph {
        Graph(self.quotient.graph().clone())
    }

    /// Returns the state in which a strategy stays forever, if there is one.
    #[getter]
    fn sink(&self) -> Option<u32> {
        self.quotient.sink().map(|sink| sink.0)
    }

    /// Returns, for each state of the original graph, the state that represents it.
    fn states<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        copy_of(py, StateId::as_numbers(self.quotient.states()))
    }

    /// Returns, for each choice, the original choice, or -1 if there is none.
    fn choices<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let choices = 0..self.quotient.graph().num_choices();
        let origin = |choice| {
            let origin = self.quotient.origin(ChoiceId::from_index(choice));
            origin.map_or(-1, |origin| i64::from(origin.0))
        };
        bytes_of(py, choices.map(origin))
    }

    /// Returns the values of the branches of the quotient, computed from those of the original
    /// graph.
    fn merged<'py>(
        &self,
        py: Python<'py>,
        values: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let values = doubles(values)?;
        if values.len() != self.original.num_branches() {
            return Err(PyValueError::new_err("expected a value for each branch"));
        }
        let merge = || self.quotient.merge_values(&self.original, &values);
        let merged = on_all_threads(py, merge)?;
        Ok(copy_of(py, &merged))
    }
}
