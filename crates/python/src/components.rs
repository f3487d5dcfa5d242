//! [`Components`]: the components of a graph.

use crate::numbers::{bytes_of, copy_of};
use crate::supervise::guarded;
use maxend::library::Decomposition;
use mdp_graph::MdpGraph;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// The components of a graph.
#[pyclass(frozen, module = "maxend._maxend")]
pub(crate) struct Components {
    pub(crate) graph: MdpGraph,
    pub(crate) found: Decomposition,
}

#[pymethods]
impl Components {
    fn __len__(&self) -> usize {
        self.found.components.len()
    }

    /// Returns the device that computed them.
    #[getter]
    fn device(&self) -> &str {
        &self.found.device
    }

    /// Returns the component of each state, or -1 for none.
    fn labels<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        // The mark of no component, as a signed number, is -1. Only components from number 2^31 on
        // would become negative.
        copy_of(py, self.found.components.numbers())
    }

    /// Returns the number of states of each component.
    fn sizes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let components = &self.found.components;
        bytes_of(
            py,
            components.ids().map(|id| i64::from(components.size(id))),
        )
    }

    /// Returns whether each component is trivial.
    fn trivial<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let components = &self.found.components;
        let trivial = components.ids().map(|id| components.is_trivial(id));
        bytes_of(py, trivial.map(u8::from))
    }

    /// Returns whether each choice stays in the component of its state.
    fn choices<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let (graph, components) = (&self.graph, &self.found.components);
        PyBytes::new_with(py, graph.num_choices(), |stays| {
            guarded(|| {
                for state in graph.states() {
                    for choice in components.retained_choices(graph, state) {
                        stays[choice.index()] = 1;
                    }
                }
            })
        })
    }

    /// Returns the states in components, one component after the other.
    fn members<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let components = &self.found.components;
        let members = components.members();
        PyBytes::new_with(py, 8 * components.num_member_states(), |bytes| {
            let states = components.ids().flat_map(|id| members.states(id));
            for (place, state) in bytes.chunks_exact_mut(8).zip(states) {
                place.copy_from_slice(&u64::from(state.0).to_ne_bytes());
            }
            Ok(())
        })
    }
}
