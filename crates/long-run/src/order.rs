//! The strongly connected components of a graph, each behind all that its edges lead to.

use crate::error::Error;
use decompose::Observer;
use mdp_graph::{ComponentId, Components, Digraph, MdpGraph, Members, Quotient, StateId};

/// The strongly connected components of a graph, in reverse topological order.
pub(crate) struct Order {
    sccs: Components,
    members: Members,
    order: Vec<ComponentId>,
    depth: usize,
}

impl Order {
    /// Finds and orders the components of `graph`.
    pub(crate) fn new(graph: &MdpGraph, observer: &dyn Observer) -> Result<Self, Error> {
        let options = decompose::Options {
            observer,
            ..decompose::Options::default()
        };
        let sccs = decompose::scc(graph, &options)?;
        let condensation = Quotient::condensation(graph, &sccs)?;
        let (order, depth) = sorted(condensation.graph(), &sccs);
        Ok(Self {
            members: sccs.members(),
            sccs,
            order,
            depth,
        })
    }

    /// The components: whether each has a cycle, and its states, ascending.
    pub(crate) fn components(&self) -> impl Iterator<Item = (bool, &[StateId])> {
        let of = |&id: &ComponentId| (!self.sccs.is_trivial(id), self.members.states(id));
        self.order.iter().map(of)
    }

    /// The most components with a cycle that lie on one path.
    pub(crate) fn depth(&self) -> usize {
        self.depth
    }

    /// Whether two states are in the same component.
    #[inline]
    pub(crate) fn together(&self, a: StateId, b: StateId) -> bool {
        self.sccs.component(a) == self.sccs.component(b)
    }
}

/// The states of a condensation, each behind those that its edges lead to, as the components that
/// they stand for; and the most of them with a cycle that lie on one path (Kahn, 1962).
fn sorted(condensation: &MdpGraph, sccs: &Components) -> (Vec<ComponentId>, usize) {
    let edges = Digraph::new(condensation);
    let back = edges.transpose();
    let targets = condensation.states().map(|scc| edges.successors(scc).len());
    let mut left: Vec<usize> = targets.collect();
    let mut depths = vec![0; left.len()];
    let mut order: Vec<ComponentId> = sccs.ids().filter(|id| left[id.index()] == 0).collect();
    let mut deepest = 0;
    let mut next = 0;
    while let Some(&id) = order.get(next) {
        next += 1;
        let depth = depths[id.index()] + usize::from(!sccs.is_trivial(id));
        deepest = deepest.max(depth);
        for &before in back.successors(StateId::from_index(id.index())) {
            let before = before.index();
            depths[before] = depths[before].max(depth);
            left[before] -= 1;
            if left[before] == 0 {
                order.push(ComponentId::from_index(before));
            }
        }
    }
    (order, deepest)
}
