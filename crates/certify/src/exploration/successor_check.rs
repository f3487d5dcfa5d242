//! Compares the choices that the system computes for a state with those that are claimed.

use super::claim::ClaimedExploration;
use super::violation::ExplorationViolation as Violation;
use crate::Observer;
use mdp_graph::{ChoiceId, Deadlocks, StateId};
use std::collections::HashMap;

/// This many targets of a choice are compared with each other faster than put into a table.
const FEW: usize = 16;

/// What a thread needs at hand to compare choices.
#[derive(Debug, Default)]
pub(super) struct Scratch<'a> {
    /// The targets of a choice that has many, sorted.
    sorted: Vec<StateId>,
    /// Their places by their packed states, once one of them comes again.
    places: HashMap<&'a [u64], usize>,
}

/// Receives the choices of a state, one after another, each with the packed states to which it
/// leads, and compares them with those that were claimed. A target that comes again in a choice
/// does not count. The system leaves out what cannot happen.
pub struct SuccessorCheck<'t, 'a> {
    claim: &'t ClaimedExploration<'a>,
    scratch: &'t mut Scratch<'a>,
    observer: &'t dyn Observer,
    state: StateId,
    /// The claimed choices of the state: the first, and the one after the last.
    first: usize,
    end: usize,
    /// The number of choices that were begun.
    begun: usize,
    /// The claimed targets of the choice that was begun last, and how many of them have come.
    targets: &'a [StateId],
    matched: usize,
    wrong: Option<Violation>,
}

impl<'t, 'a> SuccessorCheck<'t, 'a> {
    pub(super) fn new(
        claim: &'t ClaimedExploration<'a>,
        state: StateId,
        scratch: &'t mut Scratch<'a>,
        observer: &'t dyn Observer,
    ) -> Self {
        let offset = |state: usize| claim.graph.choice_offsets()[state] as usize;
        Self {
            claim,
            scratch,
            observer,
            state,
            first: offset(state.index()),
            end: offset(state.index() + 1),
            begun: 0,
            targets: &[],
            matched: 0,
            wrong: None,
        }
    }

    /// Begins the next choice of the state, which has this action.
    pub fn choice(&mut self, action: u32) {
        self.end_choice();
        if self.wrong.is_none() {
            self.wrong = self.begin_choice(action).err();
        }
    }

    /// Adds a target to the choice that was begun last.
    ///
    /// # Panics
    /// If the packed state has another number of words.
    pub fn branch(&mut self, target: &[u64]) {
        assert_eq!(target.len(), self.claim.words, "a packed state");
        if self.wrong.is_some() {
            return;
        }
        match self.targets.get(self.matched) {
            Some(&next) if self.claim.key(next) == target => self.matched += 1,
            _ if self.is_repeated(target) => {}
            _ => self.wrong = Some(self.other_targets()),
        }
    }

    /// Whether no more choices are needed: something is wrong already, or the observer cancelled
    /// the check. A system with many thousands of branches should call this method every few
    /// thousand branches.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.wrong.is_some() || self.observer.is_cancelled()
    }

    /// Whether the state has no choice of its own.
    ///
    /// # Errors
    /// If something that came was not claimed, or the other way round.
    pub(super) fn finish(mut self) -> Result<bool, Violation> {
        let is_deadlock = self.begun == 0;
        if is_deadlock && self.claim.policy == Deadlocks::SelfLoop {
            self.choice(0);
            self.branch(self.claim.key(self.state));
        }
        self.end_choice();
        match self.wrong {
            Some(wrong) => Err(wrong),
            None if self.begun < self.end - self.first => Err(Violation::FewerChoices {
                state: self.state,
                claimed: self.end - self.first,
            }),
            None => Ok(is_deadlock),
        }
    }

    fn begin_choice(&mut self, action: u32) -> Result<(), Violation> {
        let (state, choice) = (self.state, self.begun);
        let number = self.first + choice;
        if number >= self.end {
            let claimed = self.end - self.first;
            return Err(Violation::MoreChoices { state, claimed });
        }
        self.begun += 1;
        self.matched = 0;
        self.targets = self.claim.graph.targets(ChoiceId::from_index(number));
        self.scratch.places.clear();
        if let Some(claimed) = self.claim.actions.map(|actions| actions[number])
            && claimed != action
        {
            return Err(Violation::Action {
                state,
                choice,
                action,
                claimed,
            });
        }
        match self.has_repeated_target() {
            true => Err(self.other_targets()),
            false => Ok(()),
        }
    }

    /// Checks that all targets of the choice that was begun last have come.
    fn end_choice(&mut self) {
        if self.wrong.is_none() && self.matched < self.targets.len() {
            self.wrong = Some(self.other_targets());
        }
        self.targets = &[];
        self.matched = 0;
    }

    fn other_targets(&self) -> Violation {
        Violation::Targets {
            state: self.state,
            choice: self.begun.saturating_sub(1),
        }
    }

    /// Whether a state is claimed twice as a target of the choice.
    fn has_repeated_target(&mut self) -> bool {
        let targets = self.targets;
        if targets.len() <= FEW {
            let mut places = 1..targets.len();
            return places.any(|place| targets[..place].contains(&targets[place]));
        }
        let sorted = &mut self.scratch.sorted;
        sorted.clear();
        sorted.extend_from_slice(targets);
        sorted.sort_unstable();
        sorted.windows(2).any(|pair| pair[0] == pair[1])
    }

    /// Whether a packed state came as a target of the choice before.
    fn is_repeated(&mut self, target: &[u64]) -> bool {
        let (claim, targets) = (self.claim, self.targets);
        if self.matched <= FEW {
            let matched = &targets[..self.matched];
            return matched.iter().any(|&state| claim.key(state) == target);
        }
        let places = &mut self.scratch.places;
        if places.is_empty() {
            places.extend((targets.iter().map(|&to| claim.key(to))).zip(0..));
        }
        places
            .get(target)
            .is_some_and(|&place| place < self.matched)
    }
}
