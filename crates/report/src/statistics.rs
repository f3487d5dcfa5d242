//! Properties of components that need a pass over all edges: whether an edge leaves a component,
//! and whether it can be reached.

use crate::Initial;
use mdp_graph::{BitSet, ComponentId, Components, MdpGraph};

/// The components that are bottom ones, and those that are reachable.
#[derive(Clone, Debug)]
pub struct Statistics<'a> {
    initial: Initial<'a>,
    bottom: BitSet,
    reachable: BitSet,
}

impl<'a> Statistics<'a> {
    /// Computes the statistics with a pass over the edges of a graph, on all threads of the current
    /// rayon pool.
    ///
    /// # Panics
    /// If an initial state is not a state of the graph.
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

    /// Returns the states from which components are reached.
    pub(crate) fn initial(&self) -> Initial<'a> {
        self.initial
    }

    /// Returns whether no edge leaves a component.
    pub(crate) fn is_bottom(&self, id: ComponentId) -> bool {
        self.bottom.contains(id.index())
    }

    /// Returns whether a component can be reached from the initial states.
    pub(crate) fn is_reachable(&self, id: ComponentId) -> bool {
        self.reachable.contains(id.index())
    }

    /// Returns the number of components that no edge leaves.
    pub(crate) fn num_bottom(&self) -> usize {
        self.bottom.count()
    }

    /// Returns the number of components that can be reached.
    pub(crate) fn num_reachable(&self) -> usize {
        self.reachable.count()
    }
}
