//! Certificates for SCCs: one search of the whole graph finds the order within the classes, and
//! that of the classes.

use super::giant;
use super::rows::{Offsets, Rows};
use super::search;
use crate::{Certificate, Violation};
use mdp_graph::{ComponentKind, Components, MdpGraph, StateId};

pub(super) fn produce(graph: &MdpGraph, components: &Components) -> Result<Certificate, Violation> {
    let is_left_out = |&state: &StateId| components.component(state).is_none();
    if components.num_member_states() < graph.num_states()
        && let Some(state) = graph.states().find(is_left_out)
    {
        return Err(Violation::NoComponent { state });
    }
    let offsets = Offsets::new(graph);
    let rows = Rows::new(&offsets, graph);
    let giant = giant::candidate(components).and_then(|id| giant::order(components, id, &rows));
    let mut count = usize::from(giant.is_some());
    let found = search::groups(rows, super::from_last(graph), giant.as_ref(), |group| {
        count += 1;
        is_in_one_component(components, group)
    })?;
    // So each group lies in one component. If there are as many of both, they are the same.
    if count > components.len() {
        search::groups(rows, super::from_last(graph), giant.as_ref(), |group| {
            is_whole_component(components, group)
        })?;
    }
    Ok(Certificate::from_parts(found.order, found.back))
}

/// Finds out whether the states of a strongly connected group are in one component.
#[inline]
fn is_in_one_component(components: &Components, group: &[StateId]) -> Result<(), Violation> {
    let [first, rest @ ..] = group else {
        return Ok(());
    };
    if rest.is_empty() {
        return Ok(());
    }
    let own = components.component(*first);
    match rest
        .iter()
        .find(|&&state| components.component(state) != own)
    {
        None => Ok(()),
        Some(other) => Err(Violation::Separated {
            state: *first.min(other),
            other: *first.max(other),
        }),
    }
}

/// Finds out whether a strongly connected group in a component is all of it.
fn is_whole_component(components: &Components, group: &[StateId]) -> Result<(), Violation> {
    match components.component(group[0]) {
        Some(id) if components.size(id) as usize > group.len() => {
            Err(super::not_connected(ComponentKind::Scc, components, group))
        }
        _ => Ok(()),
    }
}
