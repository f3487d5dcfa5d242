//! A compiled model as a system that can be explored.

use explore::{Choices, InitialStates, NO_ACTION, System};
use prism_language::{ActionId, Error, Program, Scratch, Visitor};
use std::ops::ControlFlow;

/// A compiled model. Its actions are numbered from 1 on, and [`NO_ACTION`] is 0.
pub(crate) struct PrismSystem(pub(crate) Program);

/// Passes the choices of a state to the exploration.
struct Fill<'c, 'a>(&'c mut Choices<'a>);

impl Visitor for Fill<'_, '_> {
    #[inline]
    fn choice(&mut self, action: Option<ActionId>) {
        self.0
            .begin(action.map_or(NO_ACTION, |action| action.0 + 1));
    }

    #[inline]
    fn branch(&mut self, weight: f64, target: &[u64]) {
        self.0.branch(target, weight);
    }

    fn is_over(&mut self) -> bool {
        self.0.is_over()
    }
}

impl System for PrismSystem {
    type Scratch = Scratch;
    type Error = Error;

    fn words(&self) -> usize {
        self.0.words()
    }

    fn scratch(&self) -> Scratch {
        self.0.scratch()
    }

    fn scratch_bytes(&self, scratch: &Scratch) -> usize {
        scratch.bytes()
    }

    fn initial_states(
        &self,
        _: &mut Scratch,
        initial: &mut InitialStates<'_, '_>,
    ) -> Result<(), Error> {
        let program = &self.0;
        let visited = program.search_initial_states(|state| {
            state.into_iter().for_each(|state| initial.add(state));
            match initial.is_over() {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        });
        visited.map(drop)
    }

    fn successors(
        &self,
        scratch: &mut Scratch,
        state: &[u64],
        choices: &mut Choices<'_>,
    ) -> Result<(), Error> {
        self.0.successors(scratch, state, &mut Fill(choices))
    }
}
