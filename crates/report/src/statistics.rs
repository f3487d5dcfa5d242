//! Properties of components that need a pass over all edges: which components no edge leaves, and
//! which ones can be reached.

use crate::Initial;
use mdp_graph::{BitSet, ComponentId, Components, MdpGraph};

/// Which components are bottom ones, and which ones are reachable.
#[derive(Clone, Debug)]
pub struct Statistics<'a> {
    initial: Initial<'a>,
    bottom: BitSet,
    reachable: BitSet,
}

impl<'a> Statistics<'a> {
    /// Looks at the edges of a graph, on all threads of the current rayon pool.
    ///
    /// # Panics
    /// Panics if an initial state is no state of the graph.
    pub fn new(graph: &MdpGraph, components: &Components, initial: Initial<'a>) -> Self {
        let reachable = match initial.reach_all {
            true => BitSet::from_fn(components.len(), |_| true),
            false => components.that_meet(&graph.reachable_from(initial.states.iter().copied())),
        };
        Self {
            initial,
            bottom: components.bottom(graph),
            reachable,
        }
    }

    /// The states from which components are reached.
    pub(crate) fn initial(&self) -> Initial<'a> {
        self.initial
    }

    /// Whether no edge leaves a component.
    pub(crate) fn is_bottom(&self, id: ComponentId) -> bool {
        self.bottom.contains(id.index())
    }

    /// Whether a component can be reached from the initial states.
    pub(crate) fn is_reachable(&self, id: ComponentId) -> bool {
        self.reachable.contains(id.index())
    }

    /// How many components no edge leaves.
    pub(crate) fn num_bottom(&self) -> usize {
        self.bottom.count()
    }

    /// The number of components that can be reached.
    pub(crate) fn num_reachable(&self) -> usize {
        self.reachable.count()
    }
}
