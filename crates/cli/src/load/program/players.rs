//! The players of an explored game: the player who decides in each state.

use crate::interrupt;
use crate::model::players::Players;
use explore::Exploration;
use mdp_graph::{OutOfMemory, StateId, check_room};
use prism_language::{Error, Program};

/// Checks that there is memory for the player of each state.
pub(super) fn room(found: &Exploration) -> Result<(), OutOfMemory> {
    let states = found.graph.num_states() * size_of::<u32>();
    check_room("the players of states", &[states])
}

/// Returns the player of each state. After Ctrl-C it is incomplete, and must not be used.
pub(super) fn evaluate(program: &Program, found: &Exploration) -> Result<Players, Error> {
    let mut scratch = program.scratch();
    let mut of_states = Vec::with_capacity(found.graph.num_states());
    for state in 0..found.graph.num_states() {
        if interrupt::is_cancelled() {
            break;
        }
        let state = found.states.get(StateId::from_index(state));
        of_states.push(program.owner(&mut scratch, state)?);
    }
    Ok(Players {
        names: program.players().to_vec(),
        of_states,
    })
}
