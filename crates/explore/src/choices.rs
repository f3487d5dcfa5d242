//! The choices of a run of states, as the system reports them.
//!
//! This module does not know the numbers of states: targets are packed.

mod open;

use crate::buffer::empty;
use crate::options::{Details, Observer, Silent};
use mdp_graph::{OutOfMemory, check_room};
use open::OpenChoice;
use std::collections::HashSet;
use std::fmt;

/// The branches of a run after which its targets are counted for the first time, and for which
/// there is room at first.
const FIRST_COUNT: usize = 1 << 16;

/// The reason why the expansion of a state was abandoned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Halt {
    /// The observer asked to stop.
    Cancelled,
    /// There are more choices or branches than allowed.
    Overflow,
    /// The choices lead to more states than there may be.
    States,
    /// There is no memory for more choices.
    NoRoom(OutOfMemory),
}

/// Receives the choices of a state, one after another, each with its branches.
///
/// Branches of one choice with the same target become one, in the place of the first; their
/// probabilities are added. Branches with probability 0 are dropped and counted.
///
/// If modules synchronise, one state can have an astronomical number of branches. A system that may
/// report many thousands of branches for one state should call [`is_over`](Self::is_over) from time
/// to time.
#[derive(Debug)]
pub struct Choices<'a> {
    /// The number of words of a packed target.
    words: usize,
    details: Details,
    limits: Limits<'a>,
    open: OpenChoice,
    pub(crate) found: Found,
    /// The reason why the expansion of the current state was abandoned, if it was.
    halt: Option<Halt>,
}

/// How much there may be, and when this is checked next.
#[derive(Debug)]
struct Limits<'a> {
    observer: Watch<'a>,
    /// The maximum number of states that the choices may lead to.
    max_states: u64,
    /// The maximum number of branches. If there are more, the run has overflowed.
    max_branches: usize,
    /// The number of branches at which the targets are counted next.
    next_count: usize,
    /// The number of branches for which there is room. Memory is requested again when there are as
    /// many.
    room: usize,
}

/// The choices and branches so far.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// For each choice that has ended, the number of branches up to its end.
    pub(crate) branch_ends: Vec<u32>,
    /// The action of each choice, including the open one, if actions are kept.
    pub(crate) actions: Vec<u32>,
    /// The target of each branch, packed.
    pub(crate) targets: Vec<u64>,
    num_branches: usize,
    /// The bits that are set in some target.
    pub(crate) bits: u64,
    /// The probability of each branch, if they are kept.
    pub(crate) probabilities: Vec<f64>,
    /// The number of branches that were dropped because their probability was 0.
    pub(crate) dropped: u64,
    /// Whether some choice had no branch left.
    pub(crate) has_empty_choice: bool,
}

/// An observer, with an implementation of `Debug` that does not show it.
struct Watch<'a>(&'a dyn Observer);

impl fmt::Debug for Watch<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Watch")
    }
}

impl<'a> Choices<'a> {
    /// Makes an empty run for packed states of `words` words.
    pub(crate) fn new(words: usize, details: Details) -> Self {
        Self {
            words,
            details,
            limits: Limits {
                observer: Watch(&Silent),
                max_states: u64::MAX,
                max_branches: usize::MAX,
                next_count: FIRST_COUNT,
                room: FIRST_COUNT,
            },
            open: OpenChoice::default(),
            found: Found::default(),
            halt: None,
        }
    }

    /// Adds an observer that may cancel the search, and a limit on the number of states.
    pub(crate) fn watched(self, observer: &'a dyn Observer, max_states: Option<u64>) -> Self {
        Self {
            limits: Limits {
                observer: Watch(observer),
                max_states: max_states.unwrap_or(u64::MAX),
                ..self.limits
            },
            ..self
        }
    }

    /// Begins the next choice of the state. `action` is the system's number for the action of the
    /// choice, or [`NO_ACTION`](crate::NO_ACTION) if it has none.
    #[inline]
    pub fn begin(&mut self, action: u32) {
        self.end();
        self.open.begin(action);
        if self.details.actions {
            self.found.actions.push(action);
        }
    }

    /// Adds a branch to the choice that was begun last: the system moves to the packed state
    /// `target` with this probability, which must be finite and not negative. In a Markov chain in
    /// continuous time, it is a rate.
    #[inline]
    pub fn branch(&mut self, target: &[u64], probability: f64) {
        debug_assert!(self.open.is_open, "a branch without a choice");
        debug_assert_eq!(target.len(), self.words);
        debug_assert!(probability.is_finite() && probability >= 0.0);
        if probability == 0.0 {
            self.found.dropped += 1;
            return;
        }
        if self.has_overflowed() {
            return;
        }
        if self.found.num_branches > self.open.first
            && let Some(branch) = self.open.find(&self.found.targets, target)
        {
            if self.details.probabilities {
                self.found.probabilities[branch] += probability;
            }
            return;
        }
        if let &[word] = target {
            self.found.targets.push(word);
            self.found.bits |= word;
        } else {
            self.found.targets.extend_from_slice(target);
        }
        self.found.num_branches += 1;
        if self.details.probabilities {
            self.found.probabilities.push(probability);
        }
    }

    /// Returns whether the remaining choices of the state are not needed, because the search will
    /// end: a limit is exceeded, there is no more memory, a choice has no branch, or the observer
    /// cancelled the search. A system with many thousands of branches should call this method every
    /// few thousand branches, and return early.
    pub fn is_over(&mut self) -> bool {
        if self.halt.is_none() {
            self.halt = self.reason_to_halt();
        }
        self.halt.is_some() || self.found.has_empty_choice
    }

    fn reason_to_halt(&mut self) -> Option<Halt> {
        let open = (self.found.num_branches - self.open.first) as u64;
        if self.has_overflowed() || self.num_choices() > self.limits.max_branches {
            Some(Halt::Overflow)
        } else if open > self.limits.max_states || self.has_too_many() {
            // The targets of one choice are all different.
            Some(Halt::States)
        } else if self.limits.observer.0.is_cancelled() {
            Some(Halt::Cancelled)
        } else {
            self.make_room().err().map(Halt::NoRoom)
        }
    }

    /// Doubles the room for the choices of a state that has very many. If there is no memory for
    /// them, this returns an error; the process does not abort.
    fn make_room(&mut self) -> Result<(), OutOfMemory> {
        if self.found.num_branches < self.limits.room {
            return Ok(());
        }
        let more = self.found.num_branches;
        let bytes = |is_kept: bool, each: usize| if is_kept { 2 * more * each } else { 0 };
        // The old arrays are held while they are copied to new ones, and a wide choice has a table.
        let arrays = [
            bytes(true, 8 * self.words),
            bytes(self.details.probabilities, 8),
            bytes(true, 4),
            bytes(self.details.actions, 4),
            bytes(self.open.is_wide(), 16),
        ];
        check_room("the choices of one state", &arrays)?;
        self.found.targets.reserve(more * self.words);
        self.found.branch_ends.reserve(more);
        if self.details.probabilities {
            self.found.probabilities.reserve(more);
        }
        if self.details.actions {
            self.found.actions.reserve(more);
        }
        // Memory is requested again before the arrays are full, because `is_over` is not called for
        // each branch.
        self.limits.room = 2 * more - FIRST_COUNT / 2;
        Ok(())
    }

    /// Returns whether the targets are more states than allowed. They are counted each time that
    /// the number of branches has doubled.
    fn has_too_many(&mut self) -> bool {
        let (num_branches, max_states) = (self.found.num_branches, self.limits.max_states);
        if num_branches < self.limits.next_count || num_branches as u64 <= max_states {
            return false;
        }
        self.limits.next_count = 2 * num_branches;
        let mut states = HashSet::new();
        let mut targets = self.found.targets.chunks_exact(self.words);
        targets.any(|target| states.insert(target) && states.len() as u64 > max_states)
    }

    /// Returns the reason why the expansion of the state was abandoned, if it was.
    pub(crate) fn halt(&self) -> Option<Halt> {
        self.halt
    }

    /// Returns the action of the choice that began last.
    pub(crate) fn last_action(&self) -> u32 {
        self.open.action
    }

    /// Ends the open choice, if there is one.
    #[inline]
    pub(crate) fn end(&mut self) {
        let (first, end) = (self.open.first, self.found.num_branches);
        if self.open.end(end) {
            self.found.has_empty_choice |= first == end;
            if !self.has_overflowed() {
                // Runs are limited to fewer than 2^32 branches.
                self.found.branch_ends.push(end as u32);
            }
        }
    }

    /// Empties the run. A run usually has `usual` branches, and may have at most `max_branches`.
    pub(crate) fn clear(&mut self, usual: usize, max_branches: usize) {
        self.limits.max_branches = max_branches;
        self.limits.next_count = FIRST_COUNT;
        self.limits.room = FIRST_COUNT;
        self.halt = None;
        self.open.clear();
        self.found.clear(usual, self.words);
    }

    /// Returns the number of completed choices.
    pub(crate) fn num_choices(&self) -> usize {
        self.found.branch_ends.len()
    }

    /// Returns the number of branches, including those of the open choice.
    pub(crate) fn num_branches(&self) -> usize {
        self.found.num_branches
    }

    /// Returns whether there are more branches than allowed. If so, no more branches are added.
    #[inline]
    pub(crate) fn has_overflowed(&self) -> bool {
        self.num_branches() > self.limits.max_branches
    }

    /// Returns the memory held, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.found.bytes() + self.open.bytes()
    }
}

impl Found {
    fn clear(&mut self, usual: usize, words: usize) {
        empty(&mut self.branch_ends, usual);
        empty(&mut self.actions, usual);
        empty(&mut self.targets, usual * words);
        self.num_branches = 0;
        self.bits = 0;
        empty(&mut self.probabilities, usual);
        self.dropped = 0;
        self.has_empty_choice = false;
    }

    /// Returns the memory held, in bytes.
    fn bytes(&self) -> usize {
        (self.targets.capacity() + self.probabilities.capacity()) * 8
            + (self.branch_ends.capacity() + self.actions.capacity()) * 4
    }
}

#[cfg(test)]
mod tests;
