//! A chunk of a batch: a run of states that one thread at a time takes through the phases.

use crate::choices::Choices;
use crate::rows::Counts;
use crate::set::{Pending, Slots};
use crate::states::States;
use crate::{NO_ACTION, System};
use mdp_graph::{BuildError, Deadlocks, StateId};
use std::ops::{ControlFlow, Range};

/// Why a chunk could not be expanded.
#[derive(Debug)]
pub(crate) enum Failure<E> {
    /// The system's own error.
    System(E),
    /// Something that no graph has.
    Graph(BuildError),
    /// There were more branches than allowed.
    Overflow,
    /// The observer asked to stop.
    Cancelled,
}

/// A run of states, and what the phases leave of it.
#[derive(Debug)]
pub(crate) struct Chunk {
    pub(crate) choices: Choices,
    /// The number of choices up to the end of each state.
    pub(crate) choice_ends: Vec<u32>,
    /// How many states had no choice, and the first of them.
    pub(crate) deadlocks: u64,
    pub(crate) first_deadlock: Option<StateId>,
}

impl Chunk {
    pub(crate) fn new(choices: Choices) -> Self {
        Self {
            choices,
            choice_ends: Vec::new(),
            deadlocks: 0,
            first_deadlock: None,
        }
    }

    /// Begins a batch, in which this chunk may have so many branches.
    pub(crate) fn clear(&mut self, max_branches: usize) {
        self.choices.clear(max_branches);
        self.choice_ends.clear();
        self.deadlocks = 0;
        self.first_deadlock = None;
    }

    /// Gathers the initial states, each as the branch of a choice.
    pub(crate) fn expand_initial<S: System>(
        &mut self,
        system: &S,
        scratch: &mut S::Scratch,
        is_cancelled: impl Fn() -> bool,
    ) -> Result<(), Failure<S::Error>> {
        let choices = &mut self.choices;
        let mut stopped = Ok(());
        let outcome = system.initial_states(scratch, &mut |state| {
            choices.begin(NO_ACTION);
            choices.branch(state, 1.0);
            choices.end();
            if choices.has_overflowed() {
                stopped = Err(Failure::Overflow);
            } else if is_cancelled() {
                stopped = Err(Failure::Cancelled);
            }
            match stopped {
                Ok(()) => ControlFlow::Continue(()),
                Err(_) => ControlFlow::Break(()),
            }
        });
        outcome.map_err(Failure::System).and(stopped)
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
        for state in run.map(StateId) {
            let choices = &mut self.choices;
            system
                .successors(scratch, states.get(state), choices)
                .map_err(Failure::System)?;
            choices.end();
            if choices.has_overflowed() {
                return Err(Failure::Overflow);
            }
            if choices.has_empty_choice {
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
        // Fits, as a choice has a branch and a chunk has few of them.
        self.choice_ends.push(choices.num_choices() as u32);
    }

    /// How many states, choices and branches have been expanded.
    pub(crate) fn counts(&self) -> Counts {
        Counts {
            states: self.choice_ends.len() as u64,
            choices: self.choices.num_choices() as u64,
            branches: self.choices.num_branches() as u64,
        }
    }

    /// The memory held, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.choices.bytes() + self.choice_ends.capacity() * 4
    }
}

/// What was found of a chunk's targets.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// The number of each target.
    pub(crate) numbers: Vec<StateId>,
    /// The branches whose numbers are provisional.
    pub(crate) pending: Vec<Pending>,
    /// Those of them that a sequential search would have met first.
    first: Vec<Pending>,
    /// The states that they lead to, packed, in order.
    pub(crate) fresh: Vec<u64>,
}

impl Found {
    pub(crate) fn clear(&mut self) {
        self.numbers.clear();
        self.pending.clear();
        self.first.clear();
        self.fresh.clear();
    }

    /// Sorts out the branches that are first to lead to a state.
    pub(crate) fn find_first(&mut self, slots: Slots<'_>) {
        let Self {
            numbers,
            pending,
            first,
            ..
        } = self;
        pending.retain(|&pending| {
            let is_first = slots.number(pending.place) == numbers[pending.branch as usize].0;
            if is_first {
                first.push(pending);
            }
            !is_first
        });
    }

    /// How many branches are first to lead to a state.
    pub(crate) fn num_first(&self) -> u32 {
        self.first.len() as u32
    }

    /// Numbers the states that this chunk is first to lead to, from `number` on, and takes them from its
    /// targets.
    pub(crate) fn number_first(&mut self, slots: Slots<'_>, number: u32, targets: &[u64]) {
        let words = targets.len() / self.numbers.len().max(1);
        for (&Pending { branch, place }, number) in self.first.iter().zip(number..) {
            let branch = branch as usize;
            slots.set_number(place, number);
            self.numbers[branch] = StateId(number);
            self.fresh
                .extend_from_slice(&targets[branch * words..][..words]);
        }
    }

    /// Numbers the other branches, once all states are numbered.
    pub(crate) fn number_rest(&mut self, slots: Slots<'_>) {
        for &Pending { branch, place } in &self.pending {
            self.numbers[branch as usize] = StateId(slots.number(place));
        }
    }

    /// The memory held, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let pending = self.pending.capacity() + self.first.capacity();
        self.numbers.capacity() * 4 + (pending + self.fresh.capacity()) * 8
    }
}
