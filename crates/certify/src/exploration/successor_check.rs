//! Compares the choices that the system reports for a state with those that are claimed.

use super::claim::ClaimedExploration;
use super::expected::Expected;
use super::violation::ExplorationViolation as Violation;
use crate::Observer;
use mdp_graph::{ChoiceId, Deadlocks, StateId};
use std::collections::HashMap;

/// Up to this many targets of a choice are compared directly, which is faster than a table.
const FEW: usize = 16;

/// The working memory of a thread that compares choices.
#[derive(Debug, Default)]
pub(super) struct Scratch<'a> {
    pub(super) expected: Expected,
    /// The targets of a choice with many targets, sorted.
    sorted: Vec<StateId>,
    /// The places of the targets by their packed states. It is filled when a target is repeated.
    places: HashMap<&'a [u64], usize>,
}

/// Receives the choices of a state, one after another, each with its packed targets, and compares
/// them with the claimed choices. A repeated target of a choice is ignored. The system does not
/// report branches with probability 0.
pub struct SuccessorCheck<'t, 'a> {
    claim: &'t ClaimedExploration<'a>,
    scratch: &'t mut Scratch<'a>,
    observer: &'t dyn Observer,
    state: StateId,
    /// The first claimed choice of the state, and the choice after its last one.
    first: usize,
    end: usize,
    /// The number of choices that have begun.
    begun: usize,
    /// The claimed targets of the choice that began last, the branch to the first of them, and the
    /// number of those that were reported.
    targets: &'a [StateId],
    branch: usize,
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
            branch: 0,
            matched: 0,
            wrong: None,
        }
    }

    /// Begins the next choice of the state, with this action.
    pub fn choice(&mut self, action: u32) {
        self.end_choice();
        if self.wrong.is_none() {
            self.wrong = self.begin_choice(action).err();
        }
    }

    /// Adds a target to the choice that began last.
    ///
    /// # Panics
    /// Panics if the packed state has another number of words.
    pub fn branch(&mut self, target: &[u64]) {
        assert_eq!(target.len(), self.claim.words, "a packed state");
        if self.wrong.is_some() {
            return;
        }
        if self.is_next(target) {
            self.matched += 1;
        } else if !self.is_repeated(target) {
            self.wrong = Some(self.other_targets());
        }
    }

    /// Returns whether no more choices are needed, because of a violation, or because the observer
    /// cancelled the check. A system with many thousands of branches should call this method every
    /// few thousand branches.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.wrong.is_some() || self.observer.is_cancelled()
    }

    /// Ends the check of the state. Returns whether the state has no choice in the system.
    ///
    /// # Errors
    /// The violation, if a choice or target was not claimed, or a claimed one was not reported.
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
        self.branch = self.claim.graph.branch_offsets()[number] as usize;
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

    /// Checks that all targets of the choice that began last were reported.
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

    /// Returns whether a state occurs twice among the claimed targets of the choice.
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

    /// Returns whether the next claimed target of the choice is this packed state.
    #[inline]
    fn is_next(&mut self, target: &[u64]) -> bool {
        let next = self.branch + self.matched;
        let expected = &mut self.scratch.expected;
        self.matched < self.targets.len() && expected.leads_to(self.claim, next, target)
    }

    /// Returns whether a packed state was reported as a target of the choice before.
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
