//! The choices of a run of states, as the system reports them.
//!
//! This module does not know the numbers of states: targets are packed.

use crate::buffer::empty;
use crate::options::{Observer, Silent};
use crate::states::fingerprint;
use mdp_graph::{OutOfMemory, check_room};
use std::collections::HashSet;
use std::fmt;

/// The branches of a choice wider than this are found by a table.
const WIDE: usize = 16;

/// The branches of a run after which its targets are counted for the first time.
const FIRST_COUNT: usize = 1 << 16;

/// A place without a branch in the table of a wide choice.
const NONE: u32 = u32::MAX;

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
    observer: Watch<'a>,
    /// The maximum number of states that the choices may lead to.
    max_states: u64,
    /// The number of branches at which the targets are counted next.
    next_count: usize,
    /// The number of branches for which there is room. Memory is requested again when there are as
    /// many.
    room: usize,
    /// The reason why the expansion of the current state was abandoned, if it was.
    halt: Option<Halt>,
    /// The action of the choice that began last.
    last_action: u32,

    words: usize,
    keep_actions: bool,
    keep_probabilities: bool,
    /// The maximum number of branches. If there are more, the run has overflowed.
    max_branches: usize,

    /// Whether a choice has begun and not ended.
    is_open: bool,
    /// The number of branches before the open choice.
    first: usize,
    /// If the open choice is wide: a hash table of its branches, with linear probing. `num_wide` is
    /// the number of branches in the table.
    wide: Vec<u32>,
    num_wide: usize,

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
    pub(crate) fn new(words: usize, keep_actions: bool, keep_probabilities: bool) -> Self {
        Self {
            observer: Watch(&Silent),
            max_states: u64::MAX,
            next_count: FIRST_COUNT,
            room: FIRST_COUNT,
            halt: None,
            last_action: 0,
            words,
            keep_actions,
            keep_probabilities,
            max_branches: usize::MAX,
            is_open: false,
            first: 0,
            wide: Vec::new(),
            num_wide: 0,
            branch_ends: Vec::new(),
            actions: Vec::new(),
            targets: Vec::new(),
            num_branches: 0,
            bits: 0,
            probabilities: Vec::new(),
            dropped: 0,
            has_empty_choice: false,
        }
    }

    /// Adds an observer that may cancel the search, and a limit on the number of states.
    pub(crate) fn watched(self, observer: &'a dyn Observer, max_states: Option<u64>) -> Self {
        Self {
            observer: Watch(observer),
            max_states: max_states.unwrap_or(u64::MAX),
            ..self
        }
    }

    /// Begins the next choice of the state. `action` is the system's number for the action of the
    /// choice, or [`NO_ACTION`](crate::NO_ACTION) if it has none.
    #[inline]
    pub fn begin(&mut self, action: u32) {
        self.end();
        self.is_open = true;
        self.last_action = action;
        if self.keep_actions {
            self.actions.push(action);
        }
    }

    /// Adds a branch to the choice that was begun last: the system moves to the packed state
    /// `target` with this probability, which must be finite and not negative. In a Markov chain in
    /// continuous time, it is a rate.
    #[inline]
    pub fn branch(&mut self, target: &[u64], probability: f64) {
        debug_assert!(self.is_open, "a branch without a choice");
        debug_assert_eq!(target.len(), self.words);
        debug_assert!(probability.is_finite() && probability >= 0.0);
        if probability == 0.0 {
            self.dropped += 1;
            return;
        }
        if self.has_overflowed() {
            return;
        }
        if self.num_branches > self.first
            && let Some(branch) = self.find_open(target)
        {
            if self.keep_probabilities {
                self.probabilities[branch] += probability;
            }
            return;
        }
        if let &[word] = target {
            self.targets.push(word);
            self.bits |= word;
        } else {
            self.targets.extend_from_slice(target);
        }
        self.num_branches += 1;
        if self.keep_probabilities {
            self.probabilities.push(probability);
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
        self.halt.is_some() || self.has_empty_choice
    }

    fn reason_to_halt(&mut self) -> Option<Halt> {
        if self.has_overflowed() || self.num_choices() > self.max_branches {
            Some(Halt::Overflow)
        } else if (self.num_branches - self.first) as u64 > self.max_states || self.has_too_many() {
            // The targets of one choice are all different.
            Some(Halt::States)
        } else if self.observer.0.is_cancelled() {
            Some(Halt::Cancelled)
        } else {
            self.make_room().err().map(Halt::NoRoom)
        }
    }

    /// Doubles the room for the choices of a state that has very many. If there is no memory for
    /// them, this returns an error; the process does not abort.
    fn make_room(&mut self) -> Result<(), OutOfMemory> {
        if self.num_branches < self.room {
            return Ok(());
        }
        let more = self.num_branches;
        let bytes = |is_kept: bool, each: usize| if is_kept { 2 * more * each } else { 0 };
        // The old arrays are held while they are copied to new ones, and a wide choice has a table.
        let arrays = [
            bytes(true, 8 * self.words),
            bytes(self.keep_probabilities, 8),
            bytes(true, 4),
            bytes(self.keep_actions, 4),
            bytes(self.num_wide > 0, 16),
        ];
        check_room("the choices of one state", &arrays)?;
        self.targets.reserve(more * self.words);
        self.branch_ends.reserve(more);
        if self.keep_probabilities {
            self.probabilities.reserve(more);
        }
        if self.keep_actions {
            self.actions.reserve(more);
        }
        // Memory is requested again before the arrays are full, because `is_over` is not called for
        // each branch.
        self.room = 2 * more - FIRST_COUNT / 2;
        Ok(())
    }

    /// Returns whether the targets are more states than allowed. They are counted each time that
    /// the number of branches has doubled.
    fn has_too_many(&mut self) -> bool {
        if self.num_branches < self.next_count || self.num_branches as u64 <= self.max_states {
            return false;
        }
        self.next_count = 2 * self.num_branches;
        let mut states = HashSet::new();
        let mut targets = self.targets.chunks_exact(self.words);
        targets.any(|target| states.insert(target) && states.len() as u64 > self.max_states)
    }

    /// Returns the reason why the expansion of the state was abandoned, if it was.
    pub(crate) fn halt(&self) -> Option<Halt> {
        self.halt
    }

    /// Returns the action of the choice that began last.
    pub(crate) fn last_action(&self) -> u32 {
        self.last_action
    }

    /// Ends the open choice, if there is one.
    #[inline]
    pub(crate) fn end(&mut self) {
        if std::mem::take(&mut self.is_open) {
            self.has_empty_choice |= self.num_branches == self.first;
            if !self.has_overflowed() {
                // Runs are limited to fewer than 2^32 branches.
                self.branch_ends.push(self.num_branches as u32);
            }
            self.first = self.num_branches;
            self.num_wide = 0;
        }
    }

    /// Empties the run. A run usually has `usual` branches, and may have at most `max_branches`.
    pub(crate) fn clear(&mut self, usual: usize, max_branches: usize) {
        self.max_branches = max_branches;
        self.next_count = FIRST_COUNT;
        self.room = FIRST_COUNT;
        self.halt = None;
        self.is_open = false;
        self.first = 0;
        self.num_wide = 0;
        empty(&mut self.branch_ends, usual);
        empty(&mut self.actions, usual);
        empty(&mut self.targets, usual * self.words);
        self.num_branches = 0;
        self.bits = 0;
        empty(&mut self.probabilities, usual);
        self.dropped = 0;
        self.has_empty_choice = false;
    }

    /// Returns the number of completed choices.
    pub(crate) fn num_choices(&self) -> usize {
        self.branch_ends.len()
    }

    /// Returns the number of branches, including those of the open choice.
    pub(crate) fn num_branches(&self) -> usize {
        self.num_branches
    }

    /// Returns whether there are more branches than allowed. If so, no more branches are added.
    #[inline]
    pub(crate) fn has_overflowed(&self) -> bool {
        self.num_branches() > self.max_branches
    }

    /// Returns the memory held, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        (self.targets.capacity() + self.probabilities.capacity()) * 8
            + self.wide.capacity() * 4
            + (self.branch_ends.capacity() + self.actions.capacity()) * 4
    }

    /// Returns the branch of the open choice with this target, if there is one.
    #[inline]
    fn find_open(&mut self, target: &[u64]) -> Option<usize> {
        let open = &self.targets[self.first * self.words..];
        let branch = if self.num_branches - self.first > WIDE {
            self.find_wide(target)
        } else if let [word] = target {
            open.iter().position(|other| other == word)
        } else {
            open.chunks_exact(self.words)
                .position(|other| other == target)
        };
        branch.map(|branch| self.first + branch)
    }

    /// Returns the branch of the open choice with this target, counted from the first branch of the
    /// choice.
    fn find_wide(&mut self, target: &[u64]) -> Option<usize> {
        self.complete_wide();
        let open = &self.targets[self.first * self.words..];
        let branches = probe(&self.wide, target).map(|place| self.wide[place]);
        let mut branches = branches.take_while(|&branch| branch != NONE);
        let is = |&branch: &u32| open[branch as usize * self.words..][..self.words] == *target;
        branches.find(is).map(|branch| branch as usize)
    }

    /// Adds the branches of the open choice that the table does not have yet.
    fn complete_wide(&mut self) {
        let count = self.num_branches - self.first;
        if self.num_wide == 0 || self.wide.len() < 2 * count {
            self.num_wide = 0;
            self.wide.clear();
            self.wide.resize((4 * count).next_power_of_two(), NONE);
        }
        let open = self.targets[self.first * self.words..].chunks_exact(self.words);
        for (branch, target) in open.enumerate().skip(self.num_wide) {
            let mut places = probe(&self.wide, target);
            // The table is at most half full.
            if let Some(place) = places.find(|&place| self.wide[place] == NONE) {
                self.wide[place] = branch as u32;
            }
        }
        self.num_wide = count;
    }
}

/// Returns the places of a table, whose size is a power of 2, in the order in which they are tried
/// for a target.
fn probe(table: &[u32], target: &[u64]) -> impl Iterator<Item = usize> + use<> {
    let mask = table.len() - 1;
    let home = fingerprint(target) as usize;
    (0..=mask).map(move |step| (home + step) & mask)
}

#[cfg(test)]
mod tests;
