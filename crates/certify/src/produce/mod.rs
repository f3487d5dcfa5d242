//! Certificates for finished answers. Nothing here needs to be right for the check to be: whatever
//! this makes is judged there, by other code.
//!
//! | step | SCCs | MECs |
//! | --- | --- | --- |
//! | large components, and single states before them, as far as [`levels`] go | sweeps: [`giant`], [`mod@starve`] | the same |
//! | the states of another class, and their ways back | [`search`] over all edges | a search in [`places`] along retained choices |
//! | single states among these | that search | searches on all threads: [`mod@chase`] |
//! | the order of these | the one in which the search leaves them | an attractor in [`mod@mec`] |
//!
//! All of it takes O(n + m), for wrong answers too, and finds out at some step that no certificate
//! exists, if none does.

mod cell;
mod chase;
mod giant;
mod levels;
mod mec;
mod places;
mod rows;
mod scc;
mod search;
mod shape;
mod starve;
#[cfg(test)]
mod tests;
mod waiting;

use crate::observer::{Silent, Watch};
use crate::{Certificate, Error, Observer, Violation};
use levels::Levels;
use mdp_graph::{BitSet, ComponentKind, Components, MdpGraph, StateId, StateRows};
use rows::Rows;
use shape::{Limits, Shape};

/// A certificate for `components`, if they are the strongly connected or the maximal end components
/// of `graph`, as their kind says.
///
/// # Errors
/// The obligation that no certificate can meet, and where.
pub fn produce(graph: &MdpGraph, components: &Components) -> Result<Certificate, Violation> {
    produce_observed(graph, components, &Silent).map_err(Error::into_violation)
}

/// Like [`produce`], with somebody who watches.
///
/// # Errors
/// The obligation that no certificate can meet, and where; [`Error::Cancelled`], if the observer
/// says so.
pub fn produce_observed(
    graph: &MdpGraph,
    components: &Components,
    observer: &dyn Observer,
) -> Result<Certificate, Error> {
    if components.num_states() != graph.num_states() {
        let (graph, answer) = (graph.num_states(), components.num_states());
        return Err(Violation::OtherGraph { graph, answer }.into());
    }
    let answer = Answer {
        graph,
        components,
        watch: Watch::new(observer, graph.num_states()),
    };
    match attempt(answer, Some(Limits::USUAL)) {
        // What sweeps find of a wrong answer may depend on the threads: let them not choose what is
        // said of it.
        Err(Error::Violation(_)) => attempt(answer, None),
        outcome => outcome,
    }
}

/// A certificate by searches, and, where they are worth while, by sweeps.
fn attempt(answer: Answer<'_>, limits: Option<Limits>) -> Result<Certificate, Error> {
    let graph = answer.graph;
    let shape = limits.and_then(|limits| Shape::new(graph, limits));
    let offsets = StateRows::new(graph);
    let rows = Rows::new(&offsets, graph);
    let levels = match shape {
        None => Levels::none(graph.num_states()),
        Some(shape) => {
            let found = levels::by_sweeps(answer, rows, shape);
            // Sweeps that were cut short have found nothing that is to be relied upon.
            answer.watch.check()?;
            match found {
                Ok(certificate) => return Ok(certificate),
                Err(levels) => levels,
            }
        }
    };
    match answer.components.kind() {
        ComponentKind::Scc | ComponentKind::Bscc => scc::produce(answer, rows, &levels),
        ComponentKind::Mec => mec::produce(answer, rows, &levels, shape),
    }
}

/// A model, what are said to be its components, and who watches.
#[derive(Clone, Copy)]
struct Answer<'a> {
    graph: &'a MdpGraph,
    components: &'a Components,
    watch: Watch<'a>,
}

impl Answer<'_> {
    /// Whether there are states in no component that are worth a sweep.
    fn starves(self) -> bool {
        let states = self.graph.num_states();
        states - self.components.num_member_states() > states / 64
    }

    /// The name of a state's class: its smallest state.
    #[inline]
    fn class(self, state: StateId) -> StateId {
        self.components.label(state).unwrap_or(state)
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
