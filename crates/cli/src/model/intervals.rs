//! The edges of an interval model, and the graphs that define its end components.
//!
//! In each step, nature picks a distribution within the intervals of the choice that was made.
//! `docs/types.md` explains the consequences, and proves that these graphs are the right ones.

use crate::error::Error;
use decompose::{Observer, Options};
use mdp_graph::{
    BitSet, BuildError, ChoiceId, ChoiceTranspose, ComponentKind, Components, MdpGraph, StateId,
    check_room,
};
use std::ops::Range;

/// The tolerance in comparisons of sums of bounds, because bounds are rounded.
const ROUNDING: f64 = 1e-12;

/// A graph, and bounds of the probabilities of its branches.
pub(crate) struct Intervals<'a> {
    pub(crate) graph: &'a MdpGraph,
    pub(crate) lower: &'a [f64],
    pub(crate) upper: &'a [f64],
}

/// A graph of possible branches, and their bounds, which it owns.
pub(crate) struct Possible {
    pub(crate) graph: MdpGraph,
    pub(crate) lower: Vec<f64>,
    pub(crate) upper: Vec<f64>,
}

/// Whether the lower bounds of a choice sum to less than 1, so that other branches may be taken.
#[derive(Clone, Copy)]
pub(crate) struct Room(bool);

impl Room {
    pub(crate) fn of(lower: impl Iterator<Item = f64>) -> Self {
        Self(lower.sum::<f64>() < 1.0 - ROUNDING)
    }

    /// Returns whether nature can take a branch of this choice.
    pub(crate) fn is_possible(self, lower: f64, upper: f64) -> bool {
        upper > 0.0 && (self.0 || lower > 0.0)
    }
}

impl Intervals<'_> {
    /// Returns the branches that nature can take. Each choice has at least one.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(crate) fn possible(&self) -> Result<Possible, BuildError> {
        let branches = self.graph.num_branches();
        check_room("the bounds of intervals", &[8 * branches, 8 * branches])?;
        let (mut lower, mut upper) = (Vec::new(), Vec::new());
        for choice in (0..self.graph.num_choices()).map(ChoiceId::from_index) {
            for branch in self.possible_branches(choice) {
                lower.push(self.lower[branch]);
                upper.push(self.upper[branch]);
            }
        }
        Ok(Possible {
            graph: self.restricted(|_, _| true)?,
            lower,
            upper,
        })
    }

    /// Returns a graph whose end components are the sets of states that can be kept if nature
    /// helps.
    ///
    /// # Errors
    /// If there is not enough memory, or if it was cancelled.
    pub(crate) fn with_help(&self, observer: &dyn Observer) -> Result<MdpGraph, Error> {
        let wrong = |error: BuildError| Error::wrong(error.to_string());
        let options = Options {
            observer,
            ..Options::default()
        };
        let mut left_out = BitSet::new(self.graph.num_choices());
        let into = ChoiceTranspose::new(self.graph);
        let sources = self.sources();
        loop {
            let relaxed = self.relaxed(&left_out).map_err(wrong)?;
            let found = decompose::decompose(&relaxed, ComponentKind::Mec, &options);
            let mecs = found.map_err(|error| match error {
                decompose::Error::Cancelled => Error::Cancelled,
                error => Error::wrong(error.to_string()),
            })?;
            if !self.leave_out(&mecs, &into, &sources, &mut left_out) {
                let all = BitSet::new(self.graph.num_states());
                let kept = |(state, choice), target| {
                    !self.stays(&mecs, &all, state, choice)
                        || mecs.component(target) == mecs.component(state)
                };
                return self.restricted(kept).map_err(wrong);
            }
        }
    }

    fn branches(&self, choice: ChoiceId) -> Range<usize> {
        let offsets = self.graph.branch_offsets();
        offsets[choice.index()] as usize..offsets[choice.index() + 1] as usize
    }

    /// Returns the branches of a choice that nature can take.
    fn possible_branches(&self, choice: ChoiceId) -> impl Iterator<Item = usize> {
        let branches = self.branches(choice);
        let room = Room::of(self.lower[branches.clone()].iter().copied());
        branches.filter(move |&branch| room.is_possible(self.lower[branch], self.upper[branch]))
    }

    fn target(&self, branch: usize) -> StateId {
        self.graph.all_targets()[branch]
    }

    /// Returns the graph of the possible edges, restricted to those for which `kept` holds.
    fn restricted(
        &self,
        kept: impl Fn((StateId, ChoiceId), StateId) -> bool,
    ) -> Result<MdpGraph, BuildError> {
        let graph = self.graph;
        check_room(
            "the edges of intervals",
            &[4 * graph.num_choices(), 4 * graph.num_branches()],
        )?;
        let mut branch_offsets = vec![0];
        let mut targets = Vec::with_capacity(graph.num_branches());
        for state in graph.states() {
            for choice in graph.choices(state) {
                let possible = self.possible_branches(choice);
                let possible = possible.map(|branch| self.target(branch));
                targets.extend(possible.filter(|&target| kept((state, choice), target)));
                branch_offsets.push(targets.len() as u32);
            }
        }
        MdpGraph::from_parts(graph.choice_offsets().to_vec(), branch_offsets, targets)
    }

    /// Returns an MDP in which nature's decisions are choices. A choice keeps the branches that
    /// nature has to take. If it has other branches, it also leads to a new state with a choice for
    /// each of them. The condition that upper bounds must sum to 1 is ignored.
    fn relaxed(&self, left_out: &BitSet) -> Result<MdpGraph, BuildError> {
        let graph = self.graph;
        let (choices, branches) = (graph.num_choices(), graph.num_branches());
        check_room(
            "the choices of nature",
            &[
                4 * (graph.num_states() + choices),
                4 * (2 * choices + branches),
                4 * (branches + 2 * choices),
            ],
        )?;
        let (mut choice_offsets, mut branch_offsets) = (vec![0], vec![0]);
        let (mut targets, mut open) = (Vec::new(), Vec::new());
        for state in graph.states() {
            for choice in graph.choices(state) {
                if left_out.contains(choice.index()) {
                    continue;
                }
                let is_required = |&branch: &usize| self.lower[branch] > 0.0;
                let required: Vec<usize> =
                    self.possible_branches(choice).filter(is_required).collect();
                let most: f64 = required.iter().map(|&branch| self.upper[branch]).sum();
                let is_closed = required.len() == self.possible_branches(choice).count();
                let required = required.iter().map(|&branch| self.target(branch));
                if is_closed || most >= self.needed(choice) {
                    targets.extend(required.clone());
                    branch_offsets.push(targets.len() as u32);
                }
                if !is_closed {
                    targets.extend(required);
                    targets.push(StateId::from_index(graph.num_states() + open.len()));
                    branch_offsets.push(targets.len() as u32);
                    open.push(choice);
                }
            }
            choice_offsets.push(branch_offsets.len() as u32 - 1);
        }
        for choice in open {
            let possible = self.possible_branches(choice);
            for branch in possible.filter(|&branch| self.lower[branch] == 0.0) {
                targets.push(self.target(branch));
                branch_offsets.push(targets.len() as u32);
            }
            choice_offsets.push(branch_offsets.len() as u32 - 1);
        }
        MdpGraph::from_parts(choice_offsets, branch_offsets, targets)
    }

    /// Removes the choices that cannot stay in their component, and those that cannot stay
    /// afterwards because other states have lost all of their choices. Returns whether a choice was
    /// removed although the branches that nature has to take stay in the component.
    fn leave_out(
        &self,
        mecs: &Components,
        into: &ChoiceTranspose,
        sources: &[StateId],
        left_out: &mut BitSet,
    ) -> bool {
        let (mut any, mut lost) = (false, BitSet::new(self.graph.num_states()));
        let in_some = |state: &StateId| mecs.component(*state).is_some();
        let mut waiting: Vec<StateId> = self.graph.states().filter(in_some).collect();
        let nowhere = BitSet::new(self.graph.num_states());
        while let Some(state) = waiting.pop() {
            if lost.contains(state.index()) || !in_some(&state) {
                continue;
            }
            let mut has_choice = false;
            for choice in self.graph.choices(state) {
                if left_out.contains(choice.index()) {
                    continue;
                }
                if self.stays(mecs, &lost, state, choice) {
                    has_choice = true;
                } else {
                    any |= self.need_not_leave(mecs, &nowhere, state, choice);
                    left_out.insert(choice.index());
                }
            }
            if !has_choice {
                lost.insert(state.index());
                let choices = into.choices_into(state).iter();
                waiting.extend(choices.map(|choice| sources[choice.index()]));
            }
        }
        any
    }

    /// Returns the state of each choice.
    fn sources(&self) -> Vec<StateId> {
        let states = self.graph.states();
        let of_state = |state| self.graph.choices(state).map(move |_| state);
        states.flat_map(of_state).collect()
    }

    /// Returns whether a branch leads into the component of its state, and to a state that is not
    /// lost.
    fn is_within(&self, mecs: &Components, lost: &BitSet, state: StateId, branch: usize) -> bool {
        let target = self.target(branch);
        mecs.component(target) == mecs.component(state) && !lost.contains(target.index())
    }

    /// Returns whether each branch that nature has to take stays in the component of the state.
    fn need_not_leave(
        &self,
        mecs: &Components,
        lost: &BitSet,
        state: StateId,
        choice: ChoiceId,
    ) -> bool {
        let stays = |branch| self.lower[branch] == 0.0 || self.is_within(mecs, lost, state, branch);
        mecs.component(state).is_some() && self.branches(choice).all(stays)
    }

    /// Returns whether a choice can stay in the component of its state.
    fn stays(&self, mecs: &Components, lost: &BitSet, state: StateId, choice: ChoiceId) -> bool {
        let within = |branch: &usize| self.is_within(mecs, lost, state, *branch);
        let branches = self.possible_branches(choice).filter(within);
        let most: f64 = branches.map(|branch| self.upper[branch]).sum();
        self.need_not_leave(mecs, lost, state, choice) && most >= self.needed(choice)
    }

    /// Returns the number to which upper bounds must sum: 1, or the sum for the whole choice if
    /// that is less because of rounding.
    fn needed(&self, choice: ChoiceId) -> f64 {
        let all: f64 = self.upper[self.branches(choice)].iter().sum();
        all.min(1.0) - ROUNDING
    }
}

#[cfg(test)]
mod tests;
