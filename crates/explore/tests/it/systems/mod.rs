//! Systems for tests: those that consist of closures, and those that several tests explore.

#![allow(dead_code, reason = "each test takes what it needs")]

use explore::{Choices, InitialStates, NO_ACTION, System};
use std::convert::Infallible;
use std::marker::PhantomData;

/// A system given by its initial states and a function that adds the choices of a state.
pub(crate) struct Given<F, E> {
    words: usize,
    initial: Vec<Vec<u64>>,
    successors: F,
    error: PhantomData<fn() -> E>,
}

/// Returns a system whose packed states have as many words as the initial ones.
pub(crate) fn system<F, E>(initial: Vec<Vec<u64>>, successors: F) -> Given<F, E>
where
    F: Fn(&[u64], &mut Choices<'_>) -> Result<(), E> + Sync,
    E: std::error::Error + Send + Sync + 'static,
{
    Given {
        words: initial[0].len(),
        initial,
        successors,
        error: PhantomData,
    }
}

impl<F, E> System for Given<F, E>
where
    F: Fn(&[u64], &mut Choices<'_>) -> Result<(), E> + Sync,
    E: std::error::Error + Send + Sync + 'static,
{
    type Scratch = ();
    type Error = E;

    fn words(&self) -> usize {
        self.words
    }

    fn scratch(&self) {}

    fn initial_states(&self, (): &mut (), initial: &mut InitialStates<'_, '_>) -> Result<(), E> {
        self.initial.iter().for_each(|state| initial.add(state));
        Ok(())
    }

    fn successors(&self, (): &mut (), state: &[u64], choices: &mut Choices<'_>) -> Result<(), E> {
        (self.successors)(state, choices)
    }
}

/// Returns a system of this many states, each of which leads to the next. The last one leads to the
/// first.
pub(crate) fn ring(states: u64) -> impl System<Error = Infallible> {
    system(
        vec![vec![0]],
        move |state: &[u64], choices: &mut Choices<'_>| {
            choices.begin(NO_ACTION);
            choices.branch(&[(state[0] + 1) % states], 1.0);
            Ok(())
        },
    )
}

/// Returns a system with a state that has ten million choices, each of which leads to a state of
/// its own.
pub(crate) fn endless() -> impl System<Error = Infallible> {
    system(vec![vec![0]], |_: &[u64], choices: &mut Choices<'_>| {
        for target in 0..10_000_000 {
            choices.begin(NO_ACTION);
            choices.branch(&[target], 1.0);
        }
        Ok(())
    })
}

/// The error of a state whose successors cannot be computed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("state {0:?} is not to be left")]
pub(crate) struct Stuck(pub(crate) [u64; 2]);

/// A grid. The search starts in a corner, and each choice increases one coordinate.
#[derive(Clone, Debug, Default)]
pub(crate) struct Grid {
    pub(crate) side: u64,
    /// The states whose successors cannot be computed, or lose all branches if `zeros` is not 0.
    pub(crate) failing: Vec<[u64; 2]>,
    /// The number of branches of probability 0 that each choice has.
    pub(crate) zeros: usize,
}

impl Grid {
    /// Returns a square grid in which no state fails.
    pub(crate) fn new(side: u64) -> Self {
        Self {
            side,
            ..Self::default()
        }
    }

    /// Returns the grid as a system.
    pub(crate) fn system(self) -> impl System<Error = Stuck> {
        let successors =
            move |state: &[u64], choices: &mut Choices<'_>| self.choices(state, choices);
        system(vec![vec![0, 0]], successors)
    }

    fn choices(&self, state: &[u64], choices: &mut Choices<'_>) -> Result<(), Stuck> {
        let here = [state[0], state[1]];
        let fails = self.failing.contains(&here);
        if fails && self.zeros == 0 {
            return Err(Stuck(here));
        }
        for next in [[here[0] + 1, here[1]], [here[0], here[1] + 1]] {
            if next[0] < self.side && next[1] < self.side {
                choices.begin(NO_ACTION);
                for _ in 0..self.zeros {
                    choices.branch(&here, 0.0);
                }
                if !fails {
                    choices.branch(&next, 1.0);
                }
            }
        }
        Ok(())
    }
}
