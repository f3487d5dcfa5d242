//! Certificates for SCCs. One search of the whole graph finds the order of the classes, and the
//! order within each class.

use super::answer::{Answer, from_last, not_connected};
use super::levels::Levels;
use super::rows::Rows;
use super::search;
use crate::{Certificate, Error, Violation};
use mdp_graph::{ComponentKind, Components, StateId};

pub(super) fn produce(
    answer: Answer<'_>,
    rows: Rows<'_>,
    levels: &Levels,
) -> Result<Certificate, Error> {
    let Answer {
        graph,
        components,
        watch,
    } = answer;
    let is_left_out = |&state: &StateId| components.component(state).is_none();
    if components.num_member_states() < graph.num_states()
        && let Some(state) = graph.states().find(is_left_out)
    {
        return Err(Violation::NoComponent { state }.into());
    }
    let mut count = levels.num_components;
    let certificate = search::groups(rows, levels, from_last(graph), watch, |group| {
        count += 1;
        is_in_one_component(components, group)
    })?;
    // So each group lies in one component. If there are as many of both, they are the same.
    if count > components.len() {
        search::groups(rows, levels, from_last(graph), watch, |group| {
            is_whole_component(components, group)
        })?;
    }
    Ok(certificate)
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
            Err(not_connected(ComponentKind::Scc, components, group))
        }
        _ => Ok(()),
    }
}
