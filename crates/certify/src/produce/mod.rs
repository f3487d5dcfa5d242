//! Certificates for finished answers. Nothing here needs to be right for the check to be: whatever
//! this makes is judged there, by other code.
//!
//! | step | SCCs | MECs |
//! | --- | --- | --- |
//! | the states of a class, and their ways back | [`search`] over all edges | a search in [`places`] along retained choices |
//! | those of a large class | sweeps: [`giant`] | the same |
//! | the order of the classes | the one in which the search leaves them | sweeps in [`starve`], and an attractor in [`mod@mec`] |
//!
//! All of it takes O(n + m), for wrong answers too, and finds out at some step that no certificate
//! exists, if none does.

mod giant;
mod mec;
mod places;
mod rows;
mod scc;
mod search;
mod starve;
mod waiting;

use crate::{Certificate, Violation};
use mdp_graph::{BitSet, ComponentKind, Components, MdpGraph, StateId};

/// A certificate for `components`, if they are the strongly connected or the maximal end components
/// of `graph`, as their kind says.
///
/// # Errors
/// The obligation that no certificate can meet, and where.
pub fn produce(graph: &MdpGraph, components: &Components) -> Result<Certificate, Violation> {
    if components.num_states() != graph.num_states() {
        return Err(Violation::OtherGraph {
            graph: graph.num_states(),
            answer: components.num_states(),
        });
    }
    match components.kind() {
        ComponentKind::Scc => scc::produce(graph, components),
        ComponentKind::Mec => mec::produce(graph, components),
    }
}

/// That a group, which is all that its states reach and are reached from, is not all of their
/// component. Looks at all states: call it once.
#[cold]
fn not_connected(kind: ComponentKind, components: &Components, group: &[StateId]) -> Violation {
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
fn from_last(graph: &MdpGraph) -> impl Iterator<Item = StateId> + use<> {
    (0..graph.num_states()).rev().map(StateId::from_index)
}

/// The states of a word of bits, the last first.
#[inline]
fn descending(word: usize, mut bits: u64) -> impl Iterator<Item = StateId> {
    std::iter::from_fn(move || {
        let bit = bits.checked_ilog2()?;
        bits ^= 1 << bit;
        Some(StateId(64 * word as u32 + bit))
    })
}
