//! [`Expander`]: computes the choices of single states, for searches that store the states
//! themselves.

use crate::choices::{Choices, Halt};
use crate::options::Details;
use crate::{InitialStates, NO_ACTION, System};
use mdp_graph::OutOfMemory;
use std::fmt;

/// Computes the choices of single states.
pub struct Expander<'s, S: System> {
    system: &'s S,
    scratch: S::Scratch,
    choices: Choices<'static>,
}

impl<S: System> fmt::Debug for Expander<'_, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Expander").finish_non_exhaustive()
    }
}

/// The reason why the choices of a state could not be computed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ExpandError<E> {
    /// The system could not compute them.
    #[error(transparent)]
    System(E),
    /// A choice has no branch with a probability above 0.
    #[error("a choice has no branch of probability above 0")]
    EmptyChoice,
    /// The state has more choices or branches than a graph can have.
    #[error("a state has more than 4,294,967,294 choices or branches")]
    TooLong,
    /// There is no memory for the choices of the state.
    #[error(transparent)]
    OutOfMemory(OutOfMemory),
}

/// The choices of a state. Targets are packed; each occurs at most once in a choice.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    /// For each choice, the number of branches up to the end of the choice.
    pub branch_ends: &'a [u32],
    /// The target of each branch, one after another.
    pub targets: &'a [u64],
    /// The action of each choice; empty unless the expander was made [with
    /// details](Expander::with_details).
    pub actions: &'a [u32],
    /// The probability of each branch; empty unless the expander was made with details.
    pub probabilities: &'a [f64],
}

/// The maximum number of choices or branches of a state.
const MAX_BRANCHES: usize = u32::MAX as usize - 1;

impl<'s, S: System> Expander<'s, S> {
    /// Makes an expander without actions and probabilities.
    pub fn new(system: &'s S) -> Self {
        Self {
            system,
            scratch: system.scratch(),
            choices: Choices::new(system.words(), Details::NONE),
        }
    }

    /// Makes an expander with actions and probabilities.
    pub fn with_details(system: &'s S) -> Self {
        Self {
            choices: Choices::new(system.words(), Details::ALL),
            ..Self::new(system)
        }
    }

    /// Computes the choices of a state. A deadlock has none.
    ///
    /// # Errors
    /// Every [`ExpandError`].
    pub fn row(&mut self, state: &[u64]) -> Result<Row<'_>, ExpandError<S::Error>> {
        self.choices.clear(0, MAX_BRANCHES);
        let expanded = self
            .system
            .successors(&mut self.scratch, state, &mut self.choices);
        expanded.map_err(ExpandError::System)?;
        self.end()?;
        match self.choices.found.has_empty_choice {
            true => Err(ExpandError::EmptyChoice),
            false => Ok(Row {
                branch_ends: &self.choices.found.branch_ends,
                targets: &self.choices.found.targets,
                actions: &self.choices.found.actions,
                probabilities: &self.choices.found.probabilities,
            }),
        }
    }

    /// Computes the initial states. They are packed, one after another, without duplicates. There
    /// may be none.
    ///
    /// # Errors
    /// Every [`ExpandError`].
    pub fn initial_states(&mut self) -> Result<&[u64], ExpandError<S::Error>> {
        self.choices.clear(0, MAX_BRANCHES);
        self.choices.begin(NO_ACTION);
        let mut initial = InitialStates::new(&mut self.choices);
        let found = self.system.initial_states(&mut self.scratch, &mut initial);
        found.map_err(ExpandError::System)?;
        self.end()?;
        Ok(&self.choices.found.targets)
    }

    /// Ends the last choice.
    fn end(&mut self) -> Result<(), ExpandError<S::Error>> {
        let choices = &mut self.choices;
        choices.end();
        if let Some(Halt::NoRoom(missing)) = choices.halt() {
            return Err(ExpandError::OutOfMemory(missing));
        }
        let is_too_long = choices.halt().is_some() || choices.has_overflowed();
        match is_too_long || choices.num_choices() > MAX_BRANCHES {
            true => Err(ExpandError::TooLong),
            false => Ok(()),
        }
    }
}
