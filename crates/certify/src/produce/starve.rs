//! States that can be placed early, found by sweeps: those in no component, all of whose choices have a placed
//! target.
//!
//! A search waits for memory at each state. A sweep goes through the states in the order of their numbers, the
//! last first, and looks up one bit a target. It finds most states where few lie on cycles, and is given up
//! where it finds few.

use super::mec::Answer;
use mdp_graph::{BitSet, MdpGraph, StateId};

/// A sweep is followed by another one if it finds this part of what it looks at.
const SHARE: usize = 64;

pub(super) struct Starving<'a> {
    graph: &'a MdpGraph,
    /// The states in no component.
    outside: BitSet,
    placed: BitSet,
}

impl<'a> Starving<'a> {
    /// Begins with the states for which `is_placed` holds.
    pub(super) fn new(answer: Answer<'a>, is_placed: impl Fn(StateId) -> bool + Sync) -> Self {
        let Answer { graph, components } = answer;
        let is_outside = |state| components.component(StateId::from_index(state)).is_none();
        Self {
            graph,
            outside: BitSet::from_fn(graph.num_states(), is_outside),
            placed: BitSet::from_fn(graph.num_states(), |i| is_placed(StateId::from_index(i))),
        }
    }

    /// Sweeps for as long as it pays, and calls `place` with all states that are found, in an order in which they
    /// can be placed.
    pub(super) fn run(mut self, mut place: impl FnMut(StateId)) {
        let mut left = self.outside.count();
        loop {
            let found = self.sweep(&mut place);
            if found <= left / SHARE {
                return;
            }
            left -= found;
        }
    }

    /// Sweeps once. Returns how many states were found.
    fn sweep(&mut self, place: &mut impl FnMut(StateId)) -> usize {
        let mut found = 0;
        for word in (0..self.outside.words().len()).rev() {
            let left = self.outside.words()[word] & !self.placed.words()[word];
            for state in super::descending(word, left) {
                if self.can_be_placed(state) {
                    self.placed.insert(state.index());
                    place(state);
                    found += 1;
                }
            }
        }
        found
    }

    #[inline]
    fn can_be_placed(&self, state: StateId) -> bool {
        self.graph.choices(state).all(|choice| {
            let mut targets = self.graph.targets(choice).iter();
            targets.any(|&target| self.placed.contains(target.index()))
        })
    }
}
