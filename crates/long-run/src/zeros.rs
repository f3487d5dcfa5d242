//! Components whose gain is 0 and states whose value is 0, which are found without iteration.
//!
//! If no choice earns more than 0, the gain of a component is 0 if a strategy stays in a part of it
//! by choices that earn exactly 0. These parts are the maximal end components of the model that has
//! no other choices.
//!
//! If no gain is above 0, the value of a state is 0 if some strategy leads to components of gain 0
//! with certainty. In the quotient, in which each component is one node, no strategy stays among
//! other nodes forever. So these are the nodes of gain 0, and the greatest set of other nodes that
//! have a choice all of whose targets are in the set, too.

use crate::bounds::Bounds;
use crate::error::Error;
use crate::problem::Problem;
use decompose::mec;
use mdp_graph::{ChoiceId, ChoiceTranspose, Components, MdpGraph, Quotient, StateId, StayPolicy};
use rayon::prelude::*;

const ZERO: Bounds = Bounds {
    lower: 0.0,
    upper: 0.0,
};

/// Returns for each component whether its gain is known to be 0. The greatest gains are sought.
pub(crate) fn known_gains(
    problem: &Problem<'_>,
    mecs: &Components,
    options: &decompose::Options<'_>,
) -> Result<Vec<bool>, Error> {
    let graph = problem.graph;
    let mut is_zero = vec![false; mecs.len()];
    let earned = |state: StateId, choice: ChoiceId| problem.earned(state, choice);
    let pays = |state: &StateId| {
        let mut choices = graph.choices(*state);
        choices.all(|choice| earned(*state, choice).upper <= 0.0)
    };
    let states: Vec<StateId> = graph.states().collect();
    if !states.par_iter().all(pays) {
        return Ok(is_zero);
    }
    let (mut rows, mut ends, mut targets) = (vec![0], vec![0], Vec::new());
    for state in states {
        for choice in mecs.retained_choices(graph, state) {
            if earned(state, choice) == ZERO {
                targets.extend_from_slice(graph.targets(choice));
                ends.push(targets.len() as u32);
            }
        }
        rows.push(ends.len() as u32 - 1);
    }
    let parts = mec(&MdpGraph::from_parts(rows, ends, targets)?, options)?;
    for part in parts.ids() {
        if let Some(id) = mecs.component(parts.smallest(part)) {
            is_zero[id.index()] = true;
        }
    }
    Ok(is_zero)
}

/// Returns for each state whether its value is known to be 0, from the gains of components. The
/// greatest values are sought.
pub(crate) fn known_values(
    problem: &Problem<'_>,
    mecs: &Components,
    gains: &[Bounds],
) -> Result<Vec<bool>, Error> {
    let none_earns = gains.iter().all(|gain| gain.upper <= 0.0);
    match none_earns && gains.contains(&ZERO) {
        true => states_with_certain_zero(problem, mecs, gains),
        false => Ok(vec![false; problem.graph.num_states()]),
    }
}

/// Returns for each state whether some strategy leads from it to components of gain 0 with
/// certainty.
fn states_with_certain_zero(
    problem: &Problem<'_>,
    mecs: &Components,
    gains: &[Bounds],
) -> Result<Vec<bool>, Error> {
    let quotient = Quotient::of_end_components(problem.graph, mecs, StayPolicy::MustLeave)?;
    let graph = quotient.graph();
    let mut is_goal = vec![false; graph.num_states()];
    for id in mecs.ids().filter(|id| gains[id.index()] == ZERO) {
        is_goal[quotient.state_of(mecs.smallest(id)).index()] = true;
    }
    // The choices of each node that are left, and the node of each choice.
    let mut left: Vec<usize> = Vec::with_capacity(graph.num_states());
    let mut nodes = Vec::with_capacity(graph.num_choices());
    for node in graph.states() {
        let choices = graph.choices(node);
        nodes.extend(choices.clone().map(|_| node));
        // A component that no choice leaves has a choice that is none of the model's.
        left.push(
            choices
                .filter(|&choice| quotient.origin(choice).is_some())
                .count(),
        );
    }
    let into = ChoiceTranspose::new(graph);
    let mut is_certain = vec![true; graph.num_states()];
    let mut is_left = vec![true; graph.num_choices()];
    let is_lost = |node: &StateId| left[node.index()] == 0 && !is_goal[node.index()];
    let mut stack: Vec<StateId> = graph.states().filter(is_lost).collect();
    stack
        .iter()
        .for_each(|node| is_certain[node.index()] = false);
    while let Some(node) = stack.pop() {
        for choice in into.choices_into(node) {
            if !std::mem::replace(&mut is_left[choice.index()], false) {
                continue;
            }
            let before = nodes[choice.index()];
            left[before.index()] = left[before.index()].saturating_sub(1);
            let is_lost = left[before.index()] == 0 && !is_goal[before.index()];
            if is_lost && std::mem::replace(&mut is_certain[before.index()], false) {
                stack.push(before);
            }
        }
    }
    let states = problem.graph.states();
    Ok(states
        .map(|state| is_certain[quotient.state_of(state).index()])
        .collect())
}
