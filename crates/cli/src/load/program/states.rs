//! [`StatesOf`]: computes the properties of some explored states of a program.
//!
//! On one machine, all properties of all states are computed and held. A worker of a cluster
//! instead writes the properties of its own states one after another, and computes them again for
//! this. Both have to give the same results.

use super::labels::AnyChoice;
use super::rewards::is_merged;
use super::system::PrismSystem;
use crate::model::annotations::Packed;
use explore::{Expander, NO_ACTION};
use mdp_graph::{Deadlocks, StateId};
use prism_explicit::ModelType;
use prism_language::{ActionId, Program, Scratch};
use std::io;
use std::sync::Arc;

/// Some states of a program.
pub(crate) struct StatesOf {
    system: Arc<PrismSystem>,
    states: Packed,
    /// The number of states.
    count: u32,
    deadlocks: Deadlocks,
}

/// The data of a state that an archive contains.
#[derive(Clone, Copy)]
pub(crate) struct Row<'a> {
    pub(crate) state: StateId,
    /// The action of each choice.
    pub(crate) actions: &'a [u32],
    /// The probability of each branch, or its rate.
    pub(crate) values: &'a [f64],
    /// Whether the state is a deadlock that was given a self-loop.
    pub(crate) has_added_loop: bool,
}

/// Returns the names of a program's actions, by the numbers that [`PrismSystem`] gives them.
pub(super) fn action_names(program: &Program) -> Vec<String> {
    let names = program.actions().iter().cloned();
    [String::new()].into_iter().chain(names).collect()
}

impl StatesOf {
    /// Makes the states from their packed form. `deadlocks` says how deadlocks among them were
    /// treated.
    pub(crate) fn new(
        system: Arc<PrismSystem>,
        states: explore::States,
        deadlocks: Deadlocks,
    ) -> Self {
        Self {
            count: states.len() as u32,
            states: Packed::new(&system.0, states),
            system,
            deadlocks,
        }
    }

    pub(crate) fn program(&self) -> &Program {
        &self.system.0
    }

    /// Returns the values of the variables in these states.
    pub(crate) fn values(&self) -> &Packed {
        &self.states
    }

    /// Returns the names of the actions, by their numbers.
    pub(crate) fn action_names(&self) -> Vec<String> {
        action_names(self.program())
    }

    /// Returns the number of initial states of the program.
    pub(crate) fn count_initial(&self) -> io::Result<u64> {
        let mut expander = Expander::new(&*self.system);
        let words = expander.initial_states().map_err(io::Error::other)?.len();
        Ok((words / self.program().words()) as u64)
    }

    /// Calls `each` with the choices of each state.
    pub(crate) fn each_row(
        &self,
        mut each: impl FnMut(Row<'_>) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut expander = Expander::with_details(&*self.system);
        for state in (0..self.count).map(StateId) {
            let row = expander
                .row(self.states.packed(state))
                .map_err(io::Error::other)?;
            let has_added_loop = row.actions.is_empty() && self.deadlocks == Deadlocks::SelfLoop;
            let (actions, values) = match has_added_loop {
                true => (&[NO_ACTION][..], &[1.0][..]),
                false => (row.actions, row.probabilities),
            };
            each(Row {
                state,
                actions,
                values,
                has_added_loop,
            })?;
        }
        Ok(())
    }

    /// Returns the exit rate of a state in an archive, if time passes in the state.
    pub(crate) fn exit_rate(&self, row: Row<'_>, scratch: &mut Scratch) -> Option<f64> {
        let is_timed = match self.program().model_type() {
            ModelType::Ctmc => true,
            ModelType::Ma => self.is_markovian(row.state, row.has_added_loop, scratch),
            _ => false,
        };
        is_timed.then(|| umb::exit_rate(row.values))
    }

    fn is_markovian(&self, state: StateId, has_added_loop: bool, scratch: &mut Scratch) -> bool {
        // Time passes in a deadlock that was given a self-loop, as in Storm.
        has_added_loop || (self.program()).is_markovian(scratch, self.states.packed(state))
    }

    /// Returns, for each state, whether `says` holds.
    fn select(
        &self,
        mut says: impl FnMut(StateId, &mut Scratch) -> Result<bool, prism_language::Error>,
    ) -> io::Result<Vec<bool>> {
        let mut scratch = self.program().scratch();
        let states = (0..self.count).map(StateId);
        states
            .map(|state| says(state, &mut scratch).map_err(io::Error::other))
            .collect()
    }

    /// Returns, for each state, whether it has no choice in the program.
    pub(crate) fn deadlocks(&self) -> io::Result<Vec<bool>> {
        self.select(|state, scratch| {
            let mut any = AnyChoice(false);
            let packed = self.states.packed(state);
            self.program().successors(scratch, packed, &mut any)?;
            Ok(!any.0)
        })
    }

    /// Returns, for each state, whether it has a label of the program, which is given by its number
    /// there.
    pub(crate) fn labelled(&self, label: usize) -> io::Result<Vec<bool>> {
        let label = &self.program().labels()[label];
        self.select(|state, scratch| {
            let packed = self.states.packed(state);
            self.program().has_label(label, scratch, packed)
        })
    }

    /// Returns, for each state, whether time passes in it.
    pub(crate) fn markovian(&self) -> io::Result<Vec<bool>> {
        let is_deadlock = match self.deadlocks {
            Deadlocks::SelfLoop => self.deadlocks()?,
            _ => vec![false; self.count as usize],
        };
        self.select(|state, scratch| {
            Ok(self.is_markovian(state, is_deadlock[state.index()], scratch))
        })
    }

    /// Calls `each` with the player of each state.
    pub(crate) fn each_player(&self, each: impl FnMut(u32) -> io::Result<()>) -> io::Result<()> {
        self.each_value(
            |packed, scratch| self.program().owner(scratch, packed),
            each,
        )
    }

    /// Calls `each` with the reward of each state in a reward structure, which is given by its
    /// number.
    pub(crate) fn each_state_reward(
        &self,
        structure: usize,
        each: impl FnMut(f64) -> io::Result<()>,
    ) -> io::Result<()> {
        let program = self.program();
        let structure = &program.rewards()[structure];
        self.each_value(
            |packed, scratch| program.state_reward(structure, scratch, packed),
            each,
        )
    }

    /// Calls `each` with the value of each state, which `value_of` computes from its variables.
    fn each_value<T>(
        &self,
        value_of: impl Fn(&[u64], &mut Scratch) -> Result<T, prism_language::Error>,
        mut each: impl FnMut(T) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut scratch = self.program().scratch();
        for state in (0..self.count).map(StateId) {
            let value = value_of(self.states.packed(state), &mut scratch);
            each(value.map_err(io::Error::other)?)?;
        }
        Ok(())
    }

    /// Calls `each` with the reward of each choice in a reward structure, which is given by its
    /// number. The self-loop of a deadlock has the reward 0.
    pub(crate) fn each_choice_reward(
        &self,
        structure: usize,
        mut each: impl FnMut(f64) -> io::Result<()>,
    ) -> io::Result<()> {
        let program = self.program();
        let structure = &program.rewards()[structure];
        let mut scratch = program.scratch();
        self.each_row(|row| {
            let packed = self.states.packed(row.state);
            let is_merged = !row.has_added_loop && is_merged(program, &mut scratch, packed);
            row.actions.iter().try_for_each(|&action| {
                let action = action.checked_sub(1).map(ActionId);
                let reward = match (row.has_added_loop, is_merged) {
                    (true, _) => Ok(0.0),
                    (_, true) => program.merged_reward(structure, &mut scratch, packed),
                    _ => program.choice_reward(structure, &mut scratch, packed, action),
                };
                each(reward.map_err(io::Error::other)?)
            })
        })
    }
}
