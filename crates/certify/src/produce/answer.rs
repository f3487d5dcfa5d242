//! [`Answer`]: the answer for which a certificate is made, with the questions that all producers
//! ask about it.

use crate::Violation;
use crate::observer::Watch;
use mdp_graph::{BitSet, ComponentKind, Components, MdpGraph, StateId};

/// A model, what are said to be its components, and who watches.
#[derive(Clone, Copy)]
pub(super) struct Answer<'a> {
    pub(super) graph: &'a MdpGraph,
    pub(super) components: &'a Components,
    pub(super) watch: Watch<'a>,
}

impl Answer<'_> {
    /// Whether there are states in no component that are worth a sweep.
    pub(super) fn starves(self) -> bool {
        let states = self.graph.num_states();
        states - self.components.num_member_states() > states / 64
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
