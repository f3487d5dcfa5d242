//! [`Certificate`]: what is claimed about an answer, and what the claims mean.

use crate::{Violation, check};
use mdp_graph::{Components, MdpGraph, StateId, Table};

/// Why a set of components is right: an order of all states, and for each a way back.
///
/// A *class* is a component, or a state that is in none, alone. The order keeps each class
/// together. For the SCCs of a graph
///
/// - S0: every state is in a component, which the order keeps together;
/// - S1: every state but the first of its class has an edge from an earlier state of the class;
/// - S2: every state but the first of its class gets back to that;
/// - S3: every edge that leaves a class leads to a later one.
///
/// For MECs, where a choice is *retained* if all its targets are in the class of its state,
///
/// - M1: each component is one class, which the order keeps together;
/// - M2: every state of a component has a retained choice;
/// - M3: S1 and S2 hold for the edges of retained choices alone;
/// - M4: no state that is in no component has a choice whose only target is itself;
/// - O1: every choice that leaves its class has a target in a later class.
///
/// "Gets back" is shown by a number, `back`: the state has an edge within its class to the first
/// state, or to one with a smaller `back`, or to a later one with the same. Following such edges,
/// `back` never grows, and while it stays the same, positions do: so they lead to the first state.
///
/// Nothing here is trusted: any two arrays make a certificate, and [`check`](Self::check) decides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certificate {
    /// For each of the `n` positions its state.
    order: Table<StateId>,
    /// For each of the `n` positions how soon its state gets back to the first one of its class.
    back: Table<u32>,
}

impl Certificate {
    /// A certificate from its arrays, which [`check`](Self::check) will judge: for each position
    /// its state, and for each position how soon its state gets back.
    pub fn from_parts(order: impl Into<Table<StateId>>, back: impl Into<Table<u32>>) -> Self {
        Self {
            order: order.into(),
            back: back.into(),
        }
    }

    /// For each position its state.
    pub fn order(&self) -> &[StateId] {
        &self.order
    }

    /// For each position how soon its state gets back to the first one of its class; no matter what for
    /// that.
    pub fn back(&self) -> &[u32] {
        &self.back
    }

    /// Whether this shows that `components` are the strongly connected or the maximal end
    /// components of `graph`, as their kind says. O(n + m) time on all threads of the current
    /// rayon pool, 9 bytes a state and 4 a component.
    ///
    /// # Errors
    /// The violated obligation: of those of single states, the one of the smallest state.
    pub fn check(&self, graph: &MdpGraph, components: &Components) -> Result<(), Violation> {
        check::check(graph, components, self)
    }
}
