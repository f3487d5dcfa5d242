//! The marks of states, which the threads of [`super::cells`] share.

use super::interleave;
use mdp_graph::{SharedBits, Table, ascending};
use rayon::prelude::*;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::{Acquire, Relaxed};

/// The meaning of the word of a state, from small to large values: the state is unvisited; it is
/// open, with this index; it is undecided, and in this group; it is decided, and in this component.
/// Groups and components are named after one of their states.
pub(super) const UNVISITED: u32 = 0;
pub(super) const UNDECIDED: u32 = 1 << 30;
pub(super) const DECIDED: u32 = 1 << 31;

/// The most states that words can name.
const MAX_STATES: usize = 1 << 30;

/// The pending state of a group without known ones: all states that it leads to have been decided.
pub(super) const NONE_PENDING: u32 = u32::MAX;

/// The pending state of a group with several.
pub(super) const SEVERAL_PENDING: u32 = u32::MAX - 1;

/// The number of states in a parallel task.
const PIECE: usize = 1 << 10;

/// The most pending states that are followed one after the other.
const MAX_HOPS: usize = 8;

/// Returns the most threads that can search a graph of this size at once. Each thread has its own
/// range of indices.
pub(super) fn most_cells(num_states: usize) -> usize {
    (UNDECIDED as usize - 1) / (num_states + 1)
}

/// The result for a state after a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Status {
    Open,
    /// In the group that is named after this state.
    Undecided(u32),
    /// In the component that is named after this state.
    Decided(u32),
}

/// The marks of states, which all threads share.
pub(super) struct Marks {
    words: Table<u32>,
    /// The pending state of each group, at the state that names the group.
    pending: Table<u32>,
    /// The states of each group as a circular list: for each state the next one.
    rings: Table<u32>,
}

/// The marks during a round.
#[derive(Clone, Copy)]
pub(super) struct Shared<'a> {
    pub(super) words: &'a [AtomicU32],
    pub(super) pending: &'a [AtomicU32],
    pub(super) rings: &'a [AtomicU32],
}

impl Marks {
    /// The memory per state.
    pub(super) const BYTES: usize = 3 * size_of::<u32>();

    pub(super) fn new(num_states: usize) -> Self {
        debug_assert!(num_states < MAX_STATES);
        Self {
            words: Table::new(num_states),
            pending: Table::new(num_states),
            rings: Table::new(num_states),
        }
    }

    /// Decides each state of a set as a component of its own.
    pub(super) fn decide(&mut self, states: &SharedBits) {
        self.decide_as(states, |state| state);
    }

    /// Decides all states of a set as one component.
    pub(super) fn decide_as_one(&mut self, states: &SharedBits) {
        let Some(name) = states.descending().next() else {
            return;
        };
        self.decide_as(states, |_| name);
    }

    /// Decides each state of a set as one of this component.
    #[inline]
    fn decide_as(&mut self, states: &SharedBits, component: impl Fn(u32) -> u32 + Sync) {
        let words = self.words.par_chunks_mut(64).enumerate();
        words
            .with_min_len(PIECE / 64)
            .for_each(|(word, states_of_word)| {
                for state in ascending(word, states.word(word)) {
                    states_of_word[state as usize % 64] = DECIDED + component(state);
                }
            });
    }

    pub(super) fn shared(&mut self) -> Shared<'_> {
        Shared {
            words: self.words.as_atomics(),
            pending: self.pending.as_atomics(),
            rings: self.rings.as_atomics(),
        }
    }

    /// Returns, for each state, its component if it is decided, and otherwise the answer for its
    /// group.
    pub(super) fn into_answers(mut self) -> Table<u32> {
        let answers = &self.rings;
        self.words
            .par_iter_mut()
            .with_min_len(PIECE)
            .for_each(|word| {
                *word = match status(*word) {
                    Status::Undecided(group) => answers[group as usize],
                    Status::Decided(component) => component,
                    Status::Open => *word,
                }
            });
        self.words
    }

    /// Returns the start of a search that replaces a round that was given up: all states are
    /// unvisited, except the decided ones.
    pub(super) fn decided_only(&self) -> Table<u32> {
        let mut index = Table::new(self.words.len());
        let words = index.par_iter_mut().zip(&self.words[..]);
        words.with_min_len(PIECE).for_each(|(index, &word)| {
            if word >= DECIDED {
                *index = u32::MAX;
            }
        });
        index
    }

    /// Adds the components that were decided before to the answers of such a search.
    pub(super) fn with_decided(&self, mut answers: Table<u32>) -> Table<u32> {
        let words = answers.par_iter_mut().zip(&self.words[..]);
        words.with_min_len(PIECE).for_each(|(answer, &word)| {
            if let Status::Decided(component) = status(word) {
                *answer = component;
            }
        });
        answers
    }
}

/// Decodes a word.
#[inline]
pub(super) fn status(word: u32) -> Status {
    match word {
        DECIDED.. => Status::Decided(word - DECIDED),
        UNDECIDED.. => Status::Undecided(word - UNDECIDED),
        _ => Status::Open,
    }
}

impl Shared<'_> {
    #[inline]
    pub(super) fn status(self, state: u32) -> Status {
        interleave::pause();
        status(self.words[state as usize].load(Acquire))
    }

    /// Returns the pending state of a group.
    #[inline]
    pub(super) fn pending(self, group: u32) -> u32 {
        interleave::pause();
        self.pending[group as usize].load(Relaxed)
    }

    /// Returns the states of a group.
    pub(super) fn members(self, group: u32) -> impl Iterator<Item = u32> {
        let mut next = Some(group);
        std::iter::from_fn(move || {
            let state = next?;
            let after = self.rings[state as usize].load(Relaxed);
            next = (after != group).then_some(after);
            Some(state)
        })
    }

    /// Adds a state to the group of which `group` is a state.
    pub(super) fn put(self, state: u32, group: u32) {
        self.pending[state as usize].store(SEVERAL_PENDING, Relaxed);
        self.words[state as usize].store(UNDECIDED + group, Relaxed);
    }

    /// Sets the pending state of a group.
    pub(super) fn set_pending(self, group: u32, pending: u32) {
        self.pending[group as usize].store(pending, Relaxed);
    }

    /// Stores the answer for a group. Its list of members is no longer needed.
    pub(super) fn answer(self, group: u32, component: u32) {
        self.rings[group as usize].store(component, Relaxed);
    }

    /// Follows known pending states from a state that another thread has claimed.
    #[inline]
    pub(super) fn follow(self, mut state: u32) -> u32 {
        // Any number of hops is right. The limit is needed because threads may create a ring of
        // pending states at the same time.
        for _ in 0..MAX_HOPS {
            match self.status(state) {
                Status::Open => return state,
                Status::Decided(_) => return NONE_PENDING,
                Status::Undecided(group) => match self.pending(group) {
                    SEVERAL_PENDING | NONE_PENDING => return group,
                    pending => state = pending,
                },
            }
        }
        state
    }

    /// Returns the pending state of a group with these two.
    #[inline]
    pub(super) fn join(self, a: u32, b: u32) -> u32 {
        if a == b || b == NONE_PENDING {
            return a;
        }
        if a == NONE_PENDING {
            return b;
        }
        if a == SEVERAL_PENDING || b == SEVERAL_PENDING {
            return SEVERAL_PENDING;
        }
        // One of them may lead to the other in the meantime.
        match (self.follow(a), self.follow(b)) {
            (a, b) if a == b => a,
            (a, NONE_PENDING) => a,
            (NONE_PENDING, b) => b,
            _ => SEVERAL_PENDING,
        }
    }
}
