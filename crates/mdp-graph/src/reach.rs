//! Finds the states that can be reached, level by level.

use crate::{BitSet, MdpGraph, SharedBits, StateId};
use rayon::prelude::*;

/// Fewer states than this are expanded by the calling thread alone: waking others takes longer.
const MIN_SHARED: usize = 1 << 12;

/// How many states a thread expands in a row.
const PIECE: usize = 1 << 9;

impl MdpGraph {
    /// Returns the states that can be reached from `starts` by edges of any choices, including
    /// `starts` themselves. Runs on all threads of the current rayon pool.
    ///
    /// # Panics
    /// Panics if one of `starts` is no state of the graph.
    pub fn reachable_from(&self, starts: impl IntoIterator<Item = StateId>) -> BitSet {
        let reached = SharedBits::new(self.num_states());
        let starts = starts.into_iter().map(|start| start.0);
        let mut level: Vec<u32> = starts.filter(|&start| reached.insert(start)).collect();
        let mut next = Vec::new();
        while !level.is_empty() {
            if level.len() < MIN_SHARED {
                next.extend(
                    level
                        .iter()
                        .flat_map(|&state| self.newly_reached(state, &reached)),
                );
            } else {
                let pieces = level.par_chunks(PIECE).flat_map_iter(|piece| {
                    piece
                        .iter()
                        .flat_map(|&state| self.newly_reached(state, &reached))
                });
                next.par_extend(pieces);
            }
            std::mem::swap(&mut level, &mut next);
            next.clear();
        }
        BitSet::from_fn(self.num_states(), |state| reached.contains(state as u32))
    }

    /// Returns the successors of a state that were not reached before.
    fn newly_reached<'a>(
        &'a self,
        state: u32,
        reached: &'a SharedBits,
    ) -> impl Iterator<Item = u32> + 'a {
        let targets = StateId::as_numbers(self.successors(StateId(state)));
        targets
            .iter()
            .copied()
            .filter(|&target| reached.insert(target))
    }
}
