//! The initial states of a program.

use prism_language::Program;
use std::ops::ControlFlow;

/// Returns the packed initial states, one after the other.
pub(super) fn initial(program: &Program) -> Vec<u64> {
    let mut initial = Vec::new();
    let visited = program.initial_states(|state| {
        initial.extend_from_slice(state);
        ControlFlow::Continue(())
    });
    visited.expect("there are some");
    initial
}
