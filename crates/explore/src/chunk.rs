//! A chunk of a batch: a run of states that one thread at a time takes through the phases.

use crate::buffer::empty;
use crate::choices::{Choices, Halt};
use crate::counts::Counts;
use crate::set::{Pending, Slots};
use crate::states::States;
use crate::{InitialStates, NO_ACTION, System};
use mdp_graph::{BuildError, Deadlocks, StateId};
use std::ops::Range;

/// The reason why a chunk could not be expanded.
#[derive(Debug)]
pub(crate) enum Failure<E> {
    /// The system's own error.
    System(E),
    /// The result cannot be a graph.
    Graph(BuildError),
    /// The expansion was abandoned.
    Halted {
        halt: Halt,
        /// The state that was being expanded, and the action of its last choice. There is none if
        /// the expansion ended between two states, or at the initial states.
        place: Option<(StateId, u32)>,
    },
}

impl<E> From<Halt> for Failure<E> {
    fn from(halt: Halt) -> Self {
        Self::Halted { halt, place: None }
    }
}

/// The number of states after which a chunk asks the observer whether to continue. A single state
/// may take long.
const STATES_BETWEEN_ASKING: u32 = 64;

/// A run of states, and the results of the phases.
#[derive(Debug)]
pub(crate) struct Chunk<'a> {
    pub(crate) choices: Choices<'a>,
    /// The number of choices up to the end of each state.
    pub(crate) choice_ends: Vec<u32>,
    /// The number of states without a choice, and the first of them.
    pub(crate) deadlocks: u64,
    pub(crate) first_deadlock: Option<StateId>,
}

impl<'a> Chunk<'a> {
    pub(crate) fn new(choices: Choices<'a>) -> Self {
        Self {
            choices,
            choice_ends: Vec::new(),
            deadlocks: 0,
            first_deadlock: None,
        }
    }

    /// Begins a batch. The chunk usually has `usual` branches, and may have at most `max_branches`.
    pub(crate) fn clear(&mut self, usual: usize, max_branches: usize) {
        self.choices.clear(usual, max_branches);
        empty(&mut self.choice_ends, usual);
        self.deadlocks = 0;
        self.first_deadlock = None;
    }

    /// Gathers the initial states, as the branches of one choice.
    pub(crate) fn expand_initial<S: System>(
        &mut self,
        system: &S,
        scratch: &mut S::Scratch,
    ) -> Result<(), Failure<S::Error>> {
        let choices = &mut self.choices;
        choices.begin(NO_ACTION);
        // If the system has no initial states, it never asks the observer.
        let outcome = match choices.is_over() {
            true => Ok(()),
            false => system.initial_states(scratch, &mut InitialStates::new(choices)),
        };
        outcome.map_err(Failure::System)?;
        match choices.halt() {
            // The number of states is checked later.
            Some(Halt::States) | None => {}
            Some(halt) => return Err(halt.into()),
        }
        choices.end();
        match choices.has_overflowed() {
            true => Err(Halt::Overflow.into()),
            false => Ok(()),
        }
    }

    /// Computes the choices of a run of states, up to the first failure.
    pub(crate) fn expand<S: System>(
        &mut self,
        system: &S,
        scratch: &mut S::Scratch,
        states: &States,
        run: Range<u32>,
        deadlocks: Deadlocks,
    ) -> Result<(), Failure<S::Error>> {
        let first = run.start;
        for state in run.map(StateId) {
            let choices = &mut self.choices;
            let asks = (state.0 - first) % STATES_BETWEEN_ASKING == STATES_BETWEEN_ASKING - 1;
            if asks
                && choices.is_over()
                && let Some(halt) = choices.halt()
            {
                return Err(halt.into());
            }
            system
                .successors(scratch, states.get(state), choices)
                .map_err(Failure::System)?;
            if let Some(halt) = choices.halt() {
                let place = Some((state, choices.last_action()));
                return Err(Failure::Halted { halt, place });
            }
            choices.end();
            if choices.has_overflowed() {
                return Err(Halt::Overflow.into());
            }
            if choices.found.has_empty_choice {
                return Err(Failure::Graph(BuildError::EmptyChoice { state }));
            }
            self.end_state(state, states.get(state), deadlocks);
        }
        Ok(())
    }

    /// Ends a state after its last choice; if there was none, it is a deadlock.
    fn end_state(&mut self, state: StateId, packed: &[u64], deadlocks: Deadlocks) {
        let choices = &mut self.choices;
        let before = self.choice_ends.last().map_or(0, |&end| end as usize);
        if choices.num_choices() == before {
            self.deadlocks += 1;
            self.first_deadlock.get_or_insert(state);
            if deadlocks == Deadlocks::SelfLoop {
                choices.begin(NO_ACTION);
                choices.branch(packed, 1.0);
                choices.end();
            }
        }
        // The number fits, because each choice has a branch, and the number of branches of a chunk
        // is limited.
        self.choice_ends.push(choices.num_choices() as u32);
    }

    /// Returns the number of expanded states, and of their choices and branches.
    pub(crate) fn counts(&self) -> Counts {
        Counts {
            states: self.choice_ends.len() as u64,
            choices: self.choices.num_choices() as u64,
            branches: self.choices.num_branches() as u64,
        }
    }

    /// Returns the memory held, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.choices.bytes() + self.choice_ends.capacity() * 4
    }
}

/// The results of the look-up of a chunk's targets.
#[derive(Debug, Default)]
pub(crate) struct Lookup {
    /// The number of each target.
    pub(crate) numbers: Vec<StateId>,
    /// The branches whose numbers are provisional. After sorting out, the first `num_first` of them
    /// are those that a sequential search would have met first.
    pub(crate) pending: Vec<Pending>,
    num_first: usize,
    /// The new states to which these branches lead, packed, in order.
    pub(crate) fresh: Vec<u64>,
}

impl Lookup {
    /// Begins a batch. The chunk usually has `usual` branches; states have this many words.
    pub(crate) fn clear(&mut self, usual: usize, words: usize) {
        empty(&mut self.numbers, usual);
        empty(&mut self.pending, usual);
        self.num_first = 0;
        empty(&mut self.fresh, usual * words);
    }

    /// Moves the branches that are the first to lead to a state before the others, and keeps their
    /// order.
    pub(crate) fn find_first(&mut self, slots: Slots<'_>) {
        for index in 0..self.pending.len() {
            let Pending { branch, place } = self.pending[index];
            if slots.number(place) == self.numbers[branch as usize].0 {
                self.pending.swap(self.num_first, index);
                self.num_first += 1;
            }
        }
    }

    /// Returns the number of branches that are the first to lead to a state.
    pub(crate) fn num_first(&self) -> u32 {
        self.num_first as u32
    }

    /// Numbers the states that this chunk is the first to reach, from `number` on, and collects
    /// them from its targets.
    pub(crate) fn number_first(&mut self, slots: Slots<'_>, number: u32, targets: &[u64]) {
        let words = targets.len() / self.numbers.len().max(1);
        for (&Pending { branch, place }, number) in
            self.pending[..self.num_first].iter().zip(number..)
        {
            let branch = branch as usize;
            slots.set_number(place, number);
            self.numbers[branch] = StateId(number);
            self.fresh
                .extend_from_slice(&targets[branch * words..][..words]);
        }
    }

    /// Numbers the other branches, once all states are numbered.
    pub(crate) fn number_rest(&mut self, slots: Slots<'_>) {
        for &Pending { branch, place } in &self.pending[self.num_first..] {
            self.numbers[branch as usize] = StateId(slots.number(place));
        }
    }

    /// Returns the memory held, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.numbers.capacity() * 4 + (self.pending.capacity() + self.fresh.capacity()) * 8
    }
}
