//! A compiled model as a system that can be explored.

use explore::{Choices, NO_ACTION, System};
use prism_language::{ActionId, Error, Program, Scratch, Visitor};
use std::ops::ControlFlow;

/// A compiled model. Its actions are numbered from 1 on, [`NO_ACTION`] is 0.
pub(super) struct PrismSystem(pub(super) Program);

/// Passes on what a program says of a state.
struct Fill<'a>(&'a mut Choices);

impl Visitor for Fill<'_> {
    #[inline]
    fn choice(&mut self, action: Option<ActionId>) {
        self.0
            .begin(action.map_or(NO_ACTION, |action| action.0 + 1));
    }

    #[inline]
    fn branch(&mut self, weight: f64, target: &[u64]) {
        self.0.branch(target, weight);
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
        found: &mut dyn FnMut(&[u64]) -> ControlFlow<()>,
    ) -> Result<(), Error> {
        self.0.initial_states(found).map(drop)
    }

    fn successors(
        &self,
        scratch: &mut Scratch,
        state: &[u64],
        choices: &mut Choices,
    ) -> Result<(), Error> {
        self.0.successors(scratch, state, &mut Fill(choices))
    }
}
