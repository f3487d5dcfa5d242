//! States that can be placed early, found by sweeps: those in no component, all of whose choices have a placed
//! target.
//!
//! A search waits for memory at each state. A sweep goes through the states in the order of their numbers, the
//! last first, and looks up one bit a target. It finds most states where few lie on cycles, and is given up
//! where it finds few.

use super::mec::Answer;
use mdp_graph::{MdpGraph, StateId};

/// A sweep is followed by another one if it finds this part of what it looks at.
const SHARE: usize = 64;

/// Sets of states, 64 to a word.
pub(super) struct Starving<'a> {
    graph: &'a MdpGraph,
    /// The states in no component that are not placed.
    left: Vec<u64>,
    placed: Vec<u64>,
}

impl<'a> Starving<'a> {
    /// Begins with the states for which `is_placed` holds.
    pub(super) fn new(answer: Answer<'a>, is_placed: impl Fn(StateId) -> bool) -> Self {
        let Answer { graph, components } = answer;
        Self {
            graph,
            left: set(graph.num_states(), |s| components.component(s).is_none()),
            placed: set(graph.num_states(), is_placed),
        }
    }

    /// Sweeps for as long as it pays, and calls `place` with all states that are found, in an order in which they
    /// can be placed.
    pub(super) fn run(mut self, mut place: impl FnMut(StateId)) {
        let mut left: usize = self
            .left
            .iter()
            .map(|word| word.count_ones() as usize)
            .sum();
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
        for word in (0..self.left.len()).rev() {
            let mut rest = self.left[word];
            while rest != 0 {
                let bit = rest.ilog2();
                rest ^= 1 << bit;
                let state = StateId(64 * word as u32 + bit);
                if self.can_be_placed(state) {
                    self.placed[word] |= 1 << bit;
                    self.left[word] ^= 1 << bit;
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
            targets.any(|&target| self.is_placed(target))
        })
    }

    #[inline]
    fn is_placed(&self, state: StateId) -> bool {
        self.placed[state.index() / 64] >> (state.0 % 64) & 1 == 1
    }
}

/// The states below `n` for which something holds.
fn set(n: usize, holds: impl Fn(StateId) -> bool) -> Vec<u64> {
    let word = |first: usize| {
        let states = (first..n.min(first + 64)).rev();
        states.fold(0, |word, state| {
            word << 1 | u64::from(holds(StateId::from_index(state)))
        })
    };
    (0..n).step_by(64).map(word).collect()
}
