//! Two trees in each component: one of paths from a root to all states, and one of paths from all
//! states to the root. Together they lead from the root through any state and back.

use super::incoming::Incoming;
use super::within::Within;
use mdp_graph::{BitSet, ChoiceId, StateId};
use report::Step;
use std::collections::VecDeque;
use std::iter::successors;

const NONE: (u32, u32) = (u32::MAX, u32::MAX);

/// The trees of those components in which one was needed.
pub(super) struct Trees {
    /// For each state except roots: the choice that leads to it, and the state of this choice.
    before: Vec<(u32, u32)>,
    /// For each state except roots: its choice, and the state to which this leads.
    after: Vec<(u32, u32)>,
}

impl Trees {
    pub(super) fn new(num_states: usize) -> Self {
        Self {
            before: vec![NONE; num_states],
            after: vec![NONE; num_states],
        }
    }

    /// Whether a state that is no root is in the trees.
    pub(super) fn contains(&self, state: StateId) -> bool {
        self.before[state.index()] != NONE
    }

    /// Adds the shortest paths from `root` to the states of its component, and back. Returns the
    /// number of edges that were followed.
    pub(super) fn grow(&mut self, within: &Within<'_>, incoming: &Incoming, root: StateId) -> u64 {
        let mut edges = 0;
        let mut queue = VecDeque::from([root]);
        while let Some(from) = queue.pop_front() {
            for edge in within.edges(from) {
                edges += 1;
                let Some((choice, target)) = edge else {
                    continue;
                };
                let before = &mut self.before[target.index()];
                if target != root && *before == NONE {
                    *before = (choice.0, from.0);
                    queue.push_back(target);
                }
            }
        }
        queue.push_back(root);
        while let Some(target) = queue.pop_front() {
            for (choice, from) in incoming.choices_into(target) {
                edges += 1;
                let after = &mut self.after[from.index()];
                if from != root && *after == NONE && within.has(from, choice, target) {
                    *after = (choice.0, target.0);
                    queue.push_back(from);
                }
            }
        }
        edges
    }

    /// Returns the step from a state towards the root, and the state to which it leads; none from
    /// the root.
    pub(super) fn after(&self, state: StateId) -> Option<(Step, StateId)> {
        let (choice, next) = self.after[state.index()];
        let choice = ChoiceId(choice);
        ((choice.0, next) != NONE).then_some((Step { state, choice }, StateId(next)))
    }

    /// Returns the last step of the path from the root to a state; none for the root.
    pub(super) fn before(&self, state: StateId) -> Option<Step> {
        let (choice, last) = self.before[state.index()];
        let (state, choice) = (StateId(last), ChoiceId(choice));
        ((choice.0, last) != NONE).then_some(Step { state, choice })
    }

    /// Returns a cycle through a state, which is no root, if the two paths have one of at most
    /// `longest` steps.
    pub(super) fn short_cycle(&self, state: StateId, longest: usize) -> Option<Vec<Step>> {
        let after = |&(_, at): &(Step, StateId)| self.after(at);
        let there: Vec<(Step, StateId)> = successors(self.after(state), after)
            .take(longest.saturating_sub(1))
            .collect();
        let before = |step: &Step| self.before(step.state);
        let mut back: Vec<Step> = successors(self.before(state), before)
            .take(longest.saturating_sub(1))
            .collect();
        // The shortest cycle visits no state twice.
        let (there_len, back_len) = (2..=longest).find_map(|len| {
            let ways = (1..len).map(|there_len| (there_len, len - there_len));
            let mut meet = ways.filter(|&(i, j)| i <= there.len() && j <= back.len());
            meet.find(|&(i, j)| there[i - 1].1 == back[j - 1].state)
        })?;
        back.truncate(back_len);
        let there = there[..there_len].iter().map(|&(step, _)| step);
        Some(there.chain(back.into_iter().rev()).collect())
    }

    /// Returns the part of the two paths that leads from a state that is `joined` to the root
    /// through this state, which is not, to another one; and this other one.
    pub(super) fn path(&self, state: StateId, joined: &BitSet) -> (Vec<Step>, StateId) {
        let mut steps = Vec::new();
        let mut from = state;
        while let Some(step) = self.before(from)
            && !joined.contains(from.index())
        {
            steps.push(step);
            from = step.state;
        }
        steps.reverse();
        let mut to = state;
        while let Some((step, next)) = self.after(to)
            && !joined.contains(to.index())
        {
            steps.push(step);
            to = next;
        }
        (steps, to)
    }
}
