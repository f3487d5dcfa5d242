//! The strongly connected components of a graph, and the order in which they depend on each other.

use crate::error::Error;
use decompose::Observer;
use mdp_graph::{ComponentId, Components, Digraph, MdpGraph, Members, Quotient, StateId};

/// The strongly connected components of a graph, as nodes of an acyclic graph.
pub(crate) struct Order {
    sccs: Components,
    members: Members,
    /// The place of each state in its component.
    places: Vec<u32>,
    /// The number of components to which edges of each component lead.
    targets: Vec<u32>,
    /// The reversed edges between components.
    back: Digraph,
    depth: usize,
}

impl Order {
    /// Finds the components of `graph`, and the edges between them.
    pub(crate) fn new(graph: &MdpGraph, observer: &dyn Observer) -> Result<Self, Error> {
        let options = decompose::Options {
            observer,
            ..decompose::Options::default()
        };
        let sccs = decompose::scc(graph, &options)?;
        let condensation = Quotient::condensation(graph, &sccs)?;
        let edges = Digraph::new(condensation.graph());
        let ends = edges.offsets().windows(2);
        let members = sccs.members();
        let mut places = vec![0; graph.num_states()];
        for id in sccs.ids() {
            for (place, state) in (0..).zip(members.states(id)) {
                places[state.index()] = place;
            }
        }
        let mut order = Self {
            places,
            targets: ends.map(|ends| ends[1] - ends[0]).collect(),
            back: edges.transpose(),
            members,
            sccs,
            depth: 0,
        };
        order.depth = order.deepest();
        Ok(order)
    }

    /// Returns the components.
    pub(crate) fn ids(&self) -> impl Iterator<Item = ComponentId> {
        self.sccs.ids()
    }

    /// Returns the states of a component, in ascending order.
    pub(crate) fn states(&self, id: ComponentId) -> &[StateId] {
        self.members.states(id)
    }

    pub(crate) fn has_cycle(&self, id: ComponentId) -> bool {
        !self.sccs.is_trivial(id)
    }

    /// Returns the number of other components to which edges of each component lead.
    pub(crate) fn targets(&self) -> &[u32] {
        &self.targets
    }

    /// Returns the components from which edges lead to this one.
    pub(crate) fn sources(&self, id: ComponentId) -> impl Iterator<Item = ComponentId> {
        let sources = self.back.successors(StateId::from_index(id.index()));
        let id = |source: &StateId| ComponentId::from_index(source.index());
        sources.iter().map(id)
    }

    /// Returns the maximum number of components with a cycle on one path.
    pub(crate) fn depth(&self) -> usize {
        self.depth
    }

    /// Returns the place of `b` in the component of `a`, if `b` is in that component.
    #[inline]
    pub(crate) fn place_beside(&self, a: StateId, b: StateId) -> Option<u32> {
        let together = self.sccs.component(a) == self.sccs.component(b);
        together.then(|| self.places[b.index()])
    }

    /// Computes the depth. Visits each component after the components to which its edges lead
    /// (Kahn, 1962).
    fn deepest(&self) -> usize {
        let mut left = self.targets.clone();
        let mut depths = vec![0; left.len()];
        let mut ready: Vec<ComponentId> = self.ids().filter(|id| left[id.index()] == 0).collect();
        let mut deepest = 0;
        while let Some(id) = ready.pop() {
            let depth = depths[id.index()] + usize::from(self.has_cycle(id));
            deepest = deepest.max(depth);
            for before in self.sources(id) {
                let place = before.index();
                depths[place] = depths[place].max(depth);
                left[place] -= 1;
                if left[place] == 0 {
                    ready.push(before);
                }
            }
        }
        deepest
    }
}
