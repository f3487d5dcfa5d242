//! The marks of states, which the threads of [`super::cells`] share.

use super::interleave;
use mdp_graph::{SharedBits, Table, ascending};
use rayon::prelude::*;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::{Acquire, Relaxed};

/// What the word of a state says, by its size: nothing yet, the index of an open state, the group
/// of an undecided one, the component of a closed one. Groups and components are named by one of
/// their states.
pub(super) const UNVISITED: u32 = 0;
pub(super) const UNDECIDED: u32 = 1 << 30;
pub(super) const CLOSED: u32 = 1 << 31;

/// The most states that words can name.
const MOST_STATES: usize = 1 << 30;

/// A group without exits that are known: what it leads to was decided meanwhile.
pub(super) const NO_EXIT: u32 = u32::MAX;

/// A group with several exits.
pub(super) const MANY: u32 = u32::MAX - 1;

/// So many states are worth a thread's while.
const PIECE: usize = 1 << 10;

/// How many exits are followed one after the other.
const MOST_HOPS: usize = 8;

/// How many threads may search a graph of so many states at once: each has indices of its own.
pub(super) fn most_cells(num_states: usize) -> usize {
    (UNDECIDED as usize - 1) / (num_states + 1)
}

/// What is known of a state after a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Status {
    Open,
    /// In the group of this state.
    Undecided(u32),
    /// In the component of this state.
    Closed(u32),
}

/// The marks of states, which all threads share.
pub(super) struct Marks {
    words: Table<u32>,
    /// For each group, at the state that names it, its exit.
    exits: Table<u32>,
    /// For each state of a group another one, in a ring.
    rings: Table<u32>,
}

/// The same, during a round.
#[derive(Clone, Copy)]
pub(super) struct Shared<'a> {
    pub(super) words: &'a [AtomicU32],
    pub(super) exits: &'a [AtomicU32],
    pub(super) rings: &'a [AtomicU32],
}

impl Marks {
    /// The memory that they take, for each state.
    pub(super) const BYTES: usize = 3 * size_of::<u32>();

    pub(super) fn new(num_states: usize) -> Self {
        debug_assert!(num_states < MOST_STATES);
        Self {
            words: Table::new(num_states),
            exits: Table::new(num_states),
            rings: Table::new(num_states),
        }
    }

    /// Closes each state of a set by itself.
    pub(super) fn close(&mut self, states: &SharedBits) {
        let words = self.words.par_chunks_mut(64).enumerate();
        words
            .with_min_len(PIECE / 64)
            .for_each(|(word, states_of_word)| {
                for state in ascending(word, states.word(word)) {
                    states_of_word[state as usize % 64] = CLOSED + state;
                }
            });
    }

    pub(super) fn shared(&mut self) -> Shared<'_> {
        Shared {
            words: self.words.as_atomics(),
            exits: self.exits.as_atomics(),
            rings: self.rings.as_atomics(),
        }
    }

    /// For each state its component, if it is closed, or else the answer for its group.
    pub(super) fn into_answers(mut self) -> Table<u32> {
        let answers = &self.rings;
        self.words
            .par_iter_mut()
            .with_min_len(PIECE)
            .for_each(|word| {
                *word = match status(*word) {
                    Status::Undecided(group) => answers[group as usize],
                    Status::Closed(component) => component,
                    Status::Open => *word,
                }
            });
        self.words
    }

    /// Where a search goes on that was given up: all is unvisited, but for what is closed.
    pub(super) fn closed_only(&self) -> Table<u32> {
        let mut index = Table::new(self.words.len());
        let words = index.par_iter_mut().zip(&self.words[..]);
        words.with_min_len(PIECE).for_each(|(index, &word)| {
            if word >= CLOSED {
                *index = u32::MAX;
            }
        });
        index
    }

    /// The answers of a search that went on, and those of what was closed before.
    pub(super) fn with_closed(&self, mut answers: Table<u32>) -> Table<u32> {
        let words = answers.par_iter_mut().zip(&self.words[..]);
        words.with_min_len(PIECE).for_each(|(answer, &word)| {
            if let Status::Closed(component) = status(word) {
                *answer = component;
            }
        });
        answers
    }
}

/// What a word says.
#[inline]
pub(super) fn status(word: u32) -> Status {
    match word {
        CLOSED.. => Status::Closed(word - CLOSED),
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

    /// The exit of a group.
    #[inline]
    pub(super) fn exit(self, group: u32) -> u32 {
        interleave::pause();
        self.exits[group as usize].load(Relaxed)
    }

    /// The states of a group.
    pub(super) fn members(self, group: u32) -> impl Iterator<Item = u32> {
        let mut next = Some(group);
        std::iter::from_fn(move || {
            let state = next?;
            let after = self.rings[state as usize].load(Relaxed);
            next = (after != group).then_some(after);
            Some(state)
        })
    }

    /// Puts a state into a group that was found otherwise, of which one state is `group`.
    pub(super) fn put(self, state: u32, group: u32) {
        self.exits[state as usize].store(MANY, Relaxed);
        self.words[state as usize].store(UNDECIDED + group, Relaxed);
    }

    /// Gives a group another exit.
    pub(super) fn set_exit(self, group: u32, exit: u32) {
        self.exits[group as usize].store(exit, Relaxed);
    }

    /// Answers for a group, whose members nobody asks for any more.
    pub(super) fn answer(self, group: u32, component: u32) {
        self.rings[group as usize].store(component, Relaxed);
    }

    /// Where a state that others have claimed leads to in the end, as far as it is known.
    #[inline]
    pub(super) fn follow(self, mut state: u32) -> u32 {
        // It does not matter how far this goes; threads may make a ring of exits at the same time.
        for _ in 0..MOST_HOPS {
            match self.status(state) {
                Status::Open => return state,
                Status::Closed(_) => return NO_EXIT,
                Status::Undecided(group) => match self.exit(group) {
                    MANY | NO_EXIT => return group,
                    exit => state = exit,
                },
            }
        }
        state
    }

    /// The exit of what has these two.
    #[inline]
    pub(super) fn join(self, a: u32, b: u32) -> u32 {
        if a == b || b == NO_EXIT {
            return a;
        }
        if a == NO_EXIT {
            return b;
        }
        if a == MANY || b == MANY {
            return MANY;
        }
        // One of them may lead to the other by now.
        match (self.follow(a), self.follow(b)) {
            (a, b) if a == b => a,
            (a, NO_EXIT) => a,
            (NO_EXIT, b) => b,
            _ => MANY,
        }
    }
}
