//! [`Answer`]: the answer for which a certificate is made, with the tests that all producers apply
//! to it.

use super::shape::Shape;
use crate::Violation;
use crate::observer::Watch;
use mdp_graph::{BitSet, ComponentKind, Components, MdpGraph, StateId};

/// The minimum number of threads that together are faster than a single thread that searches for
/// SCCs. Reading memory that other threads change takes two to three times as long.
const FEWEST: usize = 4;

/// A model, its claimed components, and the observer.
#[derive(Clone, Copy)]
pub(super) struct Answer<'a> {
    pub(super) graph: &'a MdpGraph,
    pub(super) components: &'a Components,
    pub(super) watch: Watch<'a>,
}

impl Answer<'_> {
    /// Returns whether sweeps for single states are worthwhile. For MECs, these are the states in
    /// no component.
    pub(super) fn should_sweep_singles(self, shape: Shape) -> bool {
        let states = self.graph.num_states();
        match self.components.kind() {
            ComponentKind::Mec => states - self.components.num_member_states() > states / 64,
            ComponentKind::Scc | ComponentKind::Bscc => self.is_for_all_threads(shape),
        }
    }

    /// Returns whether all threads together find the order of SCCs faster than one thread: if there
    /// are several threads, if a single thread would wait for memory, and if most states are
    /// components.
    pub(super) fn is_for_all_threads(self, shape: Shape) -> bool {
        let are_alone = 2 * self.components.len() > self.components.num_states();
        shape.has_far_edges && rayon::current_num_threads() >= FEWEST && are_alone
    }

    /// Returns whether a state is a class of one state: a component, or in no component.
    #[inline]
    pub(super) fn is_alone(self, state: StateId) -> bool {
        let component = self.components.component(state);
        component.is_none_or(|id| self.components.size(id) == 1)
    }

    /// Returns the class of a state, given by its smallest state.
    #[inline]
    pub(super) fn class(self, state: StateId) -> StateId {
        self.components.smallest_of(state).unwrap_or(state)
    }
}

/// Returns the violation of a strongly connected group that is not its whole component. Examines
/// all states, so it should be called only once.
#[cold]
pub(super) fn not_connected(
    kind: ComponentKind,
    components: &Components,
    group: &[StateId],
) -> Violation {
    let own = components.component(group[0]);
    let mut members = BitSet::new(components.num_states());
    for state in group {
        members.insert(state.index());
    }
    let state = group.iter().copied().min().unwrap_or(group[0]);
    let mut rest = (0..components.num_states()).map(StateId::from_index);
    let is_left_out = |s: &StateId| components.component(*s) == own && !members.contains(s.index());
    let other = rest.find(is_left_out).unwrap_or(state);
    Violation::NotConnected {
        kind,
        state: state.min(other),
        other: state.max(other),
    }
}

/// Returns all states, in descending order. If a model's states are numbered in the order in which
/// they were found, most of its edges lead to larger numbers. A search that begins at the end has
/// already visited these, so it is seldom deep, and reads memory in order.
pub(super) fn from_last(graph: &MdpGraph) -> impl Iterator<Item = StateId> + use<> {
    (0..graph.num_states()).rev().map(StateId::from_index)
}
