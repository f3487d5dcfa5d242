//! Checks the states and choices that an exploration found, by computing the successors of each
//! state again, with code that shares nothing with the search.

use certify::{ClaimedExploration, ExplorationError, Observer, SuccessorCheck, check_exploration};
use explore::{Exploration, NO_ACTION, System as _};
use lts_network::Network;
use mdp_graph::Deadlocks;
use prism_language::{ActionId, Program};
use std::convert::Infallible;

/// Checks what was found of a network.
///
/// # Errors
/// The first obligation that is violated; [`ExplorationError::Cancelled`].
pub fn check_explored_network(
    network: &Network,
    found: &Exploration,
    deadlocks: Deadlocks,
    observer: &dyn Observer,
) -> Result<(), ExplorationError<Infallible>> {
    let successors = |scratch: &mut _, state: &[u64], check: &mut SuccessorCheck<'_, '_>| {
        network.visit_transitions(scratch, state, &mut Listener(check));
        Ok(())
    };
    let claim = claim(found, deadlocks);
    let initial = network.initial_state();
    check_exploration(&claim, initial, || network.scratch(), successors, observer)
}

/// Checks what was found of a program that has these initial states, one packed state after
/// another.
///
/// # Errors
/// As [`check_explored_network`], and the program's own.
pub fn check_explored_program(
    program: &Program,
    initial: &[u64],
    found: &Exploration,
    deadlocks: Deadlocks,
    observer: &dyn Observer,
) -> Result<(), ExplorationError<prism_language::Error>> {
    let successors = |scratch: &mut _, state: &[u64], check: &mut SuccessorCheck<'_, '_>| {
        program.successors(scratch, state, &mut Listener(check))
    };
    let claim = claim(found, deadlocks);
    check_exploration(&claim, initial, || program.scratch(), successors, observer)
}

/// Returns the claim that an exploration is right.
fn claim(found: &Exploration, policy: Deadlocks) -> ClaimedExploration<'_> {
    let (graph, states) = (&found.graph, found.states.packed());
    ClaimedExploration {
        words: states.len().checked_div(graph.num_states()).unwrap_or(1),
        states,
        graph,
        num_initial: found.num_initial,
        actions: found.actions.as_deref(),
        policy,
        deadlocks: found.deadlocks,
        is_fifo: true,
    }
}

/// Passes the choices of a state to the check.
struct Listener<'l, 't, 'a>(&'l mut SuccessorCheck<'t, 'a>);

impl lts_network::Visitor for Listener<'_, '_, '_> {
    fn transition(&mut self, label: u32, target: &[u64]) {
        self.0.choice(label + 1);
        self.0.branch(target);
    }

    fn is_over(&mut self) -> bool {
        self.0.is_over()
    }
}

impl prism_language::Visitor for Listener<'_, '_, '_> {
    fn choice(&mut self, action: Option<ActionId>) {
        self.0
            .choice(action.map_or(NO_ACTION, |action| action.0 + 1));
    }

    fn branch(&mut self, weight: f64, target: &[u64]) {
        if weight > 0.0 {
            self.0.branch(target);
        }
    }

    fn is_over(&mut self) -> bool {
        self.0.is_over()
    }
}
