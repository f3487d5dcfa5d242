//! Certificates for SCCs. One search of the whole graph finds the order of the classes, and the
//! order within each class. If that saves time, all threads first place states that are components.

use super::answer::{Answer, from_last, not_connected};
use super::levels::Levels;
use super::marks::{FIRST, UNVISITED, UNVISITED_MEMBER};
use super::parallel_search::{Found, ParallelSearch};
use super::rows::Rows;
use super::search::Order;
use super::shape::Shape;
use super::waiting::{self, Waiting};
use crate::{Certificate, Error, Violation};
use mdp_graph::{ComponentId, ComponentKind, Components, StateId, Table};
use rayon::prelude::*;

pub(super) fn produce(
    answer: Answer<'_>,
    rows: Rows<'_>,
    levels: &Levels,
    shape: Option<Shape>,
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
    let mut order = Order::new(graph.num_states(), levels);
    let mut alone = levels.num_components;
    let mut groups = 0;
    let mut close = |group: &[StateId]| {
        groups += 1;
        is_in_one_component(components, group)
    };
    if let Some(shape) = shape
        && answer.is_for_all_threads(shape)
        && waiting::marks_suffice(graph.num_states())
    {
        let found = place_single_states(answer, rows, shape, &mut order)?;
        alone += found.placed;
        let several = match order.free {
            0 => Vec::new(),
            _ => several(components),
        };
        if order.free > 0 && (found.was_worth_while || !several.is_empty()) {
            order.search(rows, &mut several.into_iter(), watch, &mut close)?;
            // The remaining states lead to these components, and are on no path between them.
            alone += place_single_states(answer, rows, shape, &mut order)?.placed;
        }
    }
    if order.free > 0 {
        order.search(rows, &mut from_last(graph), watch, &mut close)?;
    }
    // So each group is in one component. If there are as many groups as components, they are equal.
    if groups + alone > components.len() {
        let mut order = Order::new(graph.num_states(), levels);
        order.search(rows, &mut from_last(graph), watch, |group| {
            is_whole_component(components, group)
        })?;
    }
    Ok(order.into_certificate())
}

/// Returns the first state of each component that has several states.
fn several(components: &Components) -> Vec<StateId> {
    let ids = (0..components.len()).into_par_iter();
    let ids = ids.map(ComponentId::from_index);
    let several = ids.filter(|&id| components.size(id) > 1);
    several.map(|id| components.smallest(id)).collect()
}

/// Places the single states without an edge to an unplaced component of several states.
fn place_single_states(
    answer: Answer<'_>,
    rows: Rows<'_>,
    shape: Shape,
    order: &mut Order,
) -> Result<Found, Error> {
    let components = answer.components;
    let states = components.num_states();
    let are_all_alone = components.len() == states;
    let index = order.index.par_iter_mut().enumerate();
    index.for_each(|(state, index)| {
        let is_alone = || answer.is_alone(StateId::from_index(state));
        *index = match *index {
            0 if are_all_alone || is_alone() => UNVISITED,
            0 => UNVISITED_MEMBER,
            position => position - 1 + FIRST,
        };
    });
    let mut choice: Table<u32> = Table::new(states);
    let search = Waiting {
        answer,
        rows,
        ends: None,
        marks: order.index.as_atomics(),
        earlier: order.back.as_atomics(),
        choice: choice.as_atomics(),
        last: order.free as u32 + FIRST - 1,
        is_shared: true,
    };
    let found = ParallelSearch::new(search, shape.large).run();
    answer.watch.check()?;
    order.free -= found.placed;
    let marks = order.index.par_iter_mut();
    marks.for_each(|mark| *mark = (*mark + 1).saturating_sub(FIRST));
    Ok(found)
}

/// Checks whether the states of a strongly connected group are in one component.
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

/// Checks whether a strongly connected group in a component is the whole component.
fn is_whole_component(components: &Components, group: &[StateId]) -> Result<(), Violation> {
    match components.component(group[0]) {
        Some(id) if components.size(id) as usize > group.len() => {
            Err(not_connected(ComponentKind::Scc, components, group))
        }
        _ => Ok(()),
    }
}
