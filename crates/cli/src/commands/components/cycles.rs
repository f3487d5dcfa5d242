//! Finds cycles through states within their components. Each of the first states gets a shortest
//! one. All later states together take time that is linear in the model, and get steps whose number
//! is linear in the number of states:
//!
//! - If the state is on a cycle or path that was found before, this one serves for it, too.
//! - If few edges have to be followed for a shortest cycle, it gets one.
//! - The first state of each component gets a shortest cycle. It is the root of two [`Trees`]: of
//!   paths from the root to the other states, and of paths back. If the two paths of a state
//!   together contain a short cycle through it, the state gets this cycle.
//! - Otherwise, the state gets the part of these two paths that is new. It begins and ends at
//!   states that are *joined* to the root: those of the cycle of the root, and those of all earlier
//!   parts. So each state is in one such part only, apart from the ends of parts and from states
//!   that a part visits twice.

use super::incoming::Incoming;
use super::trees::Trees;
use super::within::Within;
use mdp_graph::{BitSet, ChoiceId, Components, MdpGraph, StateId};
use report::{Cycle, Step};
use std::collections::VecDeque;

const NONE: u32 = u32::MAX;

/// The limits of what a state gets.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// The number of first states that get a shortest cycle each.
    pub(super) with_own: usize,
    /// The number of edges that are followed for a shortest cycle of a later state.
    pub(super) edges: u64,
    /// The number of steps of a cycle that the trees give to a later state.
    pub(super) steps: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            // As many as `--limit` explains by default.
            with_own: 10,
            edges: 64,
            // As many as the text shows.
            steps: 20,
        }
    }
}

/// The search for cycles of one state after the other.
pub(super) struct Cycles<'a> {
    within: Within<'a>,
    components: &'a Components,
    /// Returns the choices that may lead to each state.
    incoming: &'a dyn Fn() -> &'a Incoming,
    limits: Limits,
    /// For each state that a search has reached: the choice that reached it, and the state before.
    before: Vec<(u32, u32)>,
    /// The states that the search has reached.
    reached: Vec<StateId>,
    /// For each state on a cycle or path that was found: the state for which it was found first.
    owners: Vec<u32>,
    /// For each component: the first state for which a cycle was found.
    roots: Vec<u32>,
    /// The trees of the components in which a later state needed them.
    trees: Option<Trees>,
    /// The states that are joined to the root of their component.
    joined: BitSet,
    searches: usize,
    /// The number of edges that were followed.
    edges: u64,
}

impl<'a> Cycles<'a> {
    pub(super) fn new(
        graph: &'a MdpGraph,
        components: &'a Components,
        incoming: &'a dyn Fn() -> &'a Incoming,
        limits: Limits,
    ) -> Self {
        let n = graph.num_states();
        Self {
            within: Within::new(graph, components),
            components,
            incoming,
            limits,
            before: vec![(NONE, NONE); n],
            reached: Vec::new(),
            owners: vec![NONE; n],
            roots: vec![NONE; components.len()],
            trees: None,
            joined: BitSet::new(n),
            searches: 0,
            edges: 0,
        }
    }

    /// Returns a cycle through a state inside its component, or a path that is part of one, if
    /// there is one.
    pub(super) fn through(&mut self, state: StateId) -> Cycle {
        self.searches += 1;
        let is_later = self.searches > self.limits.with_own;
        let owner = self.owners[state.index()];
        if is_later && owner != NONE {
            return Cycle::Of(StateId(owner));
        }
        let Some(component) = self.components.component(state) else {
            return Cycle::None;
        };
        if is_later {
            self.within.look_at_choices();
        }
        let root = self.roots[component.index()];
        let found = match is_later && root != NONE {
            true => self.later(state, StateId(root)),
            false => self
                .shortest(state, u64::MAX)
                .map_or(Cycle::None, Cycle::Steps),
        };
        if let Cycle::Steps(steps) | Cycle::Path { steps, .. } = &found {
            for step in steps {
                let owner = &mut self.owners[step.state.index()];
                if *owner == NONE {
                    *owner = state.0;
                }
            }
            if root == NONE {
                self.roots[component.index()] = state.0;
                for step in steps {
                    self.joined.insert(step.state.index());
                }
            }
        }
        found
    }

    /// Returns what a state gets that is not among the first ones, and not the first one of its
    /// component.
    fn later(&mut self, state: StateId, root: StateId) -> Cycle {
        if let Some(steps) = self.shortest(state, self.limits.edges) {
            return Cycle::Steps(steps);
        }
        let num_states = self.before.len();
        let trees = self.trees.get_or_insert_with(|| Trees::new(num_states));
        if !trees.contains(state) {
            self.edges += trees.grow(&self.within, (self.incoming)(), root);
        }
        match trees.short_cycle(state, self.limits.steps) {
            Some(steps) => Cycle::Steps(steps),
            None => {
                let (steps, to) = trees.path(state, &self.joined);
                for step in &steps {
                    self.joined.insert(step.state.index());
                }
                self.edges += steps.len() as u64;
                Cycle::Path { steps, to }
            }
        }
    }

    /// Returns a shortest cycle through a state inside its component, if there is one, and if not
    /// more than this number of edges have to be followed.
    fn shortest(&mut self, state: StateId, most_edges: u64) -> Option<Vec<Step>> {
        for reached in self.reached.drain(..) {
            self.before[reached.index()] = (NONE, NONE);
        }
        let last = self.edges.saturating_add(most_edges);
        let mut queue = VecDeque::from([state]);
        while let Some(from) = queue.pop_front() {
            for edge in self.within.edges(from) {
                if self.edges == last {
                    return None;
                }
                self.edges += 1;
                let is_new = |target: StateId| self.before[target.index()].0 == NONE;
                let Some((choice, target)) = edge.filter(|&(_, target)| is_new(target)) else {
                    continue;
                };
                self.before[target.index()] = (choice.0, from.0);
                self.reached.push(target);
                if target == state {
                    return Some(self.walk_back(state));
                }
                queue.push_back(target);
            }
        }
        None
    }

    fn walk_back(&self, end: StateId) -> Vec<Step> {
        let mut steps = Vec::new();
        let mut target = end;
        loop {
            let (choice, state) = self.before[target.index()];
            steps.push(Step {
                state: StateId(state),
                choice: ChoiceId(choice),
            });
            target = StateId(state);
            if target == end {
                steps.reverse();
                return steps;
            }
        }
    }

    /// Returns the number of edges that were followed.
    #[cfg(test)]
    pub(super) fn edges(&self) -> u64 {
        self.edges
    }
}
