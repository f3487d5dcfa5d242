//! A chunk of a batch: a run of states that one thread at a time takes through the phases.

use crate::choices::Choices;
use crate::rows::{ChunkRows, Counts};
use crate::shard::Shard;
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
    choice_ends: Vec<u32>,
    /// How many states had no choice, and the first of them.
    pub(crate) deadlocks: u64,
    pub(crate) first_deadlock: Option<StateId>,

    /// For each shard, where the next target is.
    cursors: Vec<Cursor>,
    /// The new states that this chunk saw first, packed, in order.
    pub(crate) fresh: Vec<u64>,
    /// Their numbers, by shard.
    pub(crate) fresh_numbers: Vec<Vec<u32>>,

    pub(crate) rows: ChunkRows,
    /// Branches of the rows whose target has only a provisional number, and the shard that knows more.
    provisional: Vec<(u32, u8)>,
}

/// How far a chunk has come in what it has from a shard.
#[derive(Clone, Copy, Debug, Default)]
struct Cursor {
    /// The next result, among those of the shard.
    result: usize,
    /// Its target, among those for the shard.
    target: usize,
    /// The next provisional number that this chunk meets first.
    fresh: u32,
}

impl Chunk {
    pub(crate) fn new(choices: Choices) -> Self {
        let shards = choices.targets.len();
        Self {
            choices,
            choice_ends: Vec::new(),
            deadlocks: 0,
            first_deadlock: None,
            cursors: vec![Cursor::default(); shards],
            fresh: Vec::new(),
            fresh_numbers: vec![Vec::new(); shards],
            rows: ChunkRows::default(),
            provisional: Vec::new(),
        }
    }

    /// Begins a batch, in which this chunk may have so many branches.
    pub(crate) fn clear(&mut self, max_branches: usize) {
        self.choices.clear(max_branches);
        self.choice_ends.clear();
        self.deadlocks = 0;
        self.first_deadlock = None;
        self.fresh.clear();
        self.fresh_numbers.iter_mut().for_each(Vec::clear);
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

    /// Begins the rows of this chunk, the `index`-th, and numbers the new states that it saw first:
    /// `first` and on. `known` states had numbers before this batch.
    pub(crate) fn number(&mut self, index: usize, shards: &[Shard], known: u32, first: u32) {
        let words = self.choices.words();
        let targets = &mut self.rows.targets;
        targets.clear();
        self.provisional.clear();
        targets.reserve(self.choices.num_branches());
        let mut next = first;
        for (cursor, shard) in self.cursors.iter_mut().zip(shards) {
            let start = shard.starts[index];
            *cursor = Cursor {
                result: start.result,
                target: 0,
                fresh: known + start.fresh,
            };
        }
        for &shard in &self.choices.shards {
            let s = usize::from(shard);
            let cursor = &mut self.cursors[s];
            let result = shards[s].results[cursor.result];
            let mut target = result;
            // A shard numbers what is new in the order in which it sees it. So this chunk saw a state
            // first if its provisional number is the smallest that this chunk has not met yet.
            if result == cursor.fresh {
                let packed = &self.choices.targets[s][cursor.target * words..][..words];
                self.fresh.extend_from_slice(packed);
                self.fresh_numbers[s].push(next);
                target = next;
                next += 1;
                cursor.fresh += 1;
            } else if result >= known {
                self.provisional.push((targets.len() as u32, shard));
            }
            targets.push(StateId(target));
            cursor.result += 1;
            cursor.target += 1;
        }
    }

    /// Completes the rows of this chunk, behind `before` choices and branches.
    pub(crate) fn write(&mut self, shards: &[Shard], known: u32, before: Counts) {
        let rows = &mut self.rows;
        for (branch, shard) in self.provisional.drain(..) {
            let target = &mut rows.targets[branch as usize];
            let fresh = (target.0 - known) as usize;
            *target = StateId(shards[usize::from(shard)].fresh_numbers[fresh]);
        }
        // Counts have been checked: they fit.
        let (choices, branches) = (before.choices as u32, before.branches as u32);
        let choice_ends = self.choice_ends.iter().map(|end| choices + end);
        rows.choice_ends.extend(choice_ends);
        let branch_ends = self.choices.branch_ends.iter().map(|end| branches + end);
        rows.branch_ends.extend(branch_ends);
        std::mem::swap(&mut rows.actions, &mut self.choices.actions);
        std::mem::swap(&mut rows.probabilities, &mut self.choices.probabilities);
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
        let numbers: usize = self.fresh_numbers.iter().map(Vec::capacity).sum();
        let numbers = numbers + self.choice_ends.capacity() + self.provisional.capacity() * 2;
        self.choices.bytes() + self.rows.bytes() + self.fresh.capacity() * 8 + numbers * 4
    }
}
