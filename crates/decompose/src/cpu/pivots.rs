//! Chooses pivots, the states around which giants are looked for: one in each slice of a graph.

use super::edges::Edges;
use super::threads;
use mdp_graph::{SharedBits, ascending, descending};
use std::ops::Range;

/// The number of slices.
pub(super) const MAX_PIVOTS: usize = 8;

/// All random walks together look at one edge for this many states, and at fewer if several threads
/// wait for them. They take a few percent of the time of a search.
const WALK_DIVISOR: usize = 16;

/// A walk ends if so many targets in turn lead nowhere.
const MAX_DEAD_ENDS: usize = 4;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PivotChoice {
    /// The last states of the slices, beginning with the last slice. If states are numbered in the
    /// order of a search, these lie at the end of most paths, few steps back from most states.
    Last,
    /// The ends of random walks from the first states of the slices, beginning with the first
    /// slice. A walk leaves every component that it can leave, sooner or later, so its end reaches
    /// few states outside its component.
    EndsOfWalks,
}

/// The pivots of a search.
pub(super) struct Pivots<'a, E> {
    edges: &'a E,
    /// The states that are left out of the search. The others are live.
    outside: &'a SharedBits,
    choice: PivotChoice,
    /// The number of edges that walks may still look at.
    budget: usize,
    draw: Draw,
}

impl<'a, E: Edges> Pivots<'a, E> {
    pub(super) fn new(edges: &'a E, outside: &'a SharedBits, choice: PivotChoice) -> Self {
        Self {
            edges,
            outside,
            choice,
            budget: outside.bound() / (WALK_DIVISOR * threads::useful()),
            draw: Draw(1),
        }
    }

    /// Returns the pivot of a slice, if it has one.
    pub(super) fn of_slice(&mut self, slice: usize) -> Option<u32> {
        let num_states = self.outside.bound();
        match self.choice {
            PivotChoice::Last => self.last_of(&states_of(MAX_PIVOTS - 1 - slice, num_states)),
            PivotChoice::EndsOfWalks => {
                let first_step = self.first_step(&states_of(slice, num_states))?;
                self.walk(first_step)
            }
        }
    }

    fn last_of(&self, slice: &Range<usize>) -> Option<u32> {
        let words = words_of(slice).rev();
        let mut live = words.flat_map(|word| descending(word, self.outside.absent(word)));
        live.find(|&state| slice.contains(&(state as usize)) && self.edges.leads_elsewhere(state))
    }

    /// Returns the first edge of a slice that leads from one live state to another.
    fn first_step(&mut self, slice: &Range<usize>) -> Option<(u32, u32)> {
        let outside = self.outside;
        let live = words_of(slice).flat_map(|word| ascending(word, outside.absent(word)));
        for state in live.filter(|&state| slice.contains(&(state as usize))) {
            if self.budget == 0 {
                break;
            }
            if let Some(next) = self.any_target(state) {
                return Some((state, next));
            }
        }
        None
    }

    /// Returns the state at which a walk ends when it has looked at as many edges as it may, or
    /// `None` if it ends before. The walk begins with an edge from one state to the next.
    fn walk(&mut self, (mut state, mut next): (u32, u32)) -> Option<u32> {
        let mut dead_ends = 0;
        while self.budget > 0 {
            if let Some(target) = self.any_target(next) {
                (state, next) = (next, target);
                dead_ends = 0;
            } else if dead_ends < MAX_DEAD_ENDS {
                next = self.any_target(state)?;
                dead_ends += 1;
            } else {
                return None;
            }
        }
        Some(state)
    }

    /// Returns one of the other live states to which a state leads.
    fn any_target(&mut self, state: u32) -> Option<u32> {
        let (mut num_edges, mut num_live, mut chosen) = (0, 0, None);
        self.edges.each_target(state, |target| {
            num_edges += 1;
            if target != state && !self.outside.contains(target) {
                num_live += 1;
                if self.draw.below(num_live) == 0 {
                    chosen = Some(target);
                }
            }
        });
        self.budget = self.budget.saturating_sub(num_edges.max(1));
        chosen
    }
}

fn states_of(slice: usize, num_states: usize) -> Range<usize> {
    num_states * slice / MAX_PIVOTS..num_states * (slice + 1) / MAX_PIVOTS
}

fn words_of(states: &Range<usize>) -> Range<usize> {
    states.start / 64..states.end.div_ceil(64)
}

/// Pseudorandom numbers: a linear congruential generator.
struct Draw(u64);

impl Draw {
    fn below(&mut self, bound: u64) -> u64 {
        const FACTOR: u64 = 6_364_136_223_846_793_005;
        self.0 = self.0.wrapping_mul(FACTOR).wrapping_add(1);
        (self.0 >> 33) % bound
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::edges::AllEdges;
    use crate::cpu::tests::rows_of;

    /// Returns the pivots of all slices of a graph without some of its states.
    fn pivots(rows: &[Vec<u32>], outside: &[u32], choice: PivotChoice) -> Vec<Option<u32>> {
        let (offsets, targets) = rows_of(rows);
        let edges = AllEdges {
            rows: &offsets,
            targets: &targets,
        };
        let left_out = SharedBits::new(rows.len());
        for &state in outside {
            left_out.insert(state);
        }
        let mut pivots = Pivots::new(&edges, &left_out, choice);
        (0..MAX_PIVOTS)
            .map(|slice| pivots.of_slice(slice))
            .collect()
    }

    /// Returns a graph of cycles, each of which leads to the next one.
    fn cycles(num_cycles: u32, len: u32) -> Vec<Vec<u32>> {
        let row = |state: u32| {
            let first = state / len * len;
            let next = (first + len) % (num_cycles * len);
            let back = first + (state + 1) % len;
            match next > first {
                true => vec![back, next],
                false => vec![back],
            }
        };
        (0..num_cycles * len).map(row).collect()
    }

    #[test]
    fn the_last_states_that_lead_elsewhere_are_pivots() {
        let mut rows = cycles(8, 100);
        rows[799] = vec![799];
        let found = pivots(&rows, &[698, 699], PivotChoice::Last);
        assert_eq!(found[..3], [Some(798), Some(697), Some(599)]);
    }

    #[test]
    fn a_walk_ends_in_the_last_cycle_that_is_not_left_out() {
        let rows = cycles(8, 100);
        let last = pivots(&rows, &[], PivotChoice::EndsOfWalks)[0];
        assert_eq!(last.map(|state| state / 100), Some(7), "{last:?}");
        let outside: Vec<u32> = (600..800).collect();
        let last = pivots(&rows, &outside, PivotChoice::EndsOfWalks)[0];
        assert_eq!(last.map(|state| state / 100), Some(5), "{last:?}");
    }

    #[test]
    fn a_walk_into_a_dead_end_has_no_end() {
        let rows: Vec<_> = (1..=8000).map(|next| vec![next.min(20)]).collect();
        let found = pivots(&rows, &[], PivotChoice::EndsOfWalks);
        assert_eq!(found[0], None, "{found:?}");
    }
}
