//! [`Answer`]: the answer for which a certificate is made, with the questions that all producers
//! ask about it.

use super::shape::Shape;
use crate::Violation;
use crate::observer::Watch;
use mdp_graph::{BitSet, ComponentKind, Components, MdpGraph, StateId};

/// So many threads are faster than one that searches alone for SCCs: looking at what other threads
/// change takes twice or three times as long.
const FEWEST: usize = 4;

/// A model, what are said to be its components, and who watches.
#[derive(Clone, Copy)]
pub(super) struct Answer<'a> {
    pub(super) graph: &'a MdpGraph,
    pub(super) components: &'a Components,
    pub(super) watch: Watch<'a>,
}

impl Answer<'_> {
    /// Whether single states are worth a sweep: for MECs, states in no component.
    pub(super) fn pays_to_sweep_singles(self, shape: Shape) -> bool {
        let states = self.graph.num_states();
        match self.components.kind() {
            ComponentKind::Mec => states - self.components.num_member_states() > states / 64,
            ComponentKind::Scc | ComponentKind::Bscc => self.is_for_all_threads(shape),
        }
    }

    /// Whether threads together find the order of SCCs faster than one alone: if there are several,
    /// if that one would wait for memory, and if most states are components.
    pub(super) fn is_for_all_threads(self, shape: Shape) -> bool {
        let are_alone = 2 * self.components.len() > self.components.num_states();
        shape.far && rayon::current_num_threads() >= FEWEST && are_alone
    }

    /// The name of a state's class: its smallest state.
    #[inline]
    pub(super) fn class(self, state: StateId) -> StateId {
        self.components.label(state).unwrap_or(state)
    }
}

/// That a group, which is all that its states reach and are reached from, is not all of their
/// component. Looks at all states: call it once.
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

/// All states, from the last down. Most edges of a model whose states are numbered as they were
/// found lead onwards: to what a search that begins at the end is then done with, so that it is
/// seldom deep, and reads memory in order.
pub(super) fn from_last(graph: &MdpGraph) -> impl Iterator<Item = StateId> + use<> {
    (0..graph.num_states()).rev().map(StateId::from_index)
}
