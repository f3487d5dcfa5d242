//! The states of an explored Markov automaton in which time passes.

use super::labels::is_deadlock;
use explore::Exploration;
use mdp_graph::StateId;
use prism_language::Program;

/// Returns whether time passes in each state. In a deadlock that was given a self-loop, it does, as
/// in Storm.
pub(super) fn states(program: &Program, found: &Exploration) -> Vec<bool> {
    let mut scratch = program.scratch();
    let states = (0..found.graph.num_states()).map(StateId::from_index);
    let passes = |state| {
        let was_deadlock = found.deadlocks > 0
            && !found.graph.is_deadlock(state)
            && is_deadlock(program, found, &mut scratch, state).unwrap_or(false);
        was_deadlock || program.is_markovian(&mut scratch, found.states.get(state))
    };
    states.map(passes).collect()
}
