//! Prefetching: reads data that a search will need soon, at many places at once.
//!
//! If the states that a search visits are scattered in memory, the search waits for the index of
//! each state, for its row, and for the first target in the row. The reads for different states do
//! not depend on one another. So if they are issued closely after one another, the processor waits
//! for all of them at the same time.

use super::traversal::Traversal;
use mdp_graph::Index;
use std::hint::black_box;
use std::ops::Range;

/// The index of an unvisited state.
pub(super) const UNVISITED: u32 = 0;

/// The most targets of one state that are prefetched.
const OF_A_STATE: usize = 16;

/// The most states that are prefetched for a block of roots.
const OF_ROOTS: usize = 64;

/// Prefetching for blocks of roots. By default there is none.
#[derive(Clone, Copy, Default)]
pub(super) struct RootPrefetch {
    /// The number of roots in a block, or 0 if nothing is prefetched.
    roots: u32,
    /// The first root after the current block.
    next_block: u32,
    ascends: bool,
}

impl RootPrefetch {
    pub(super) fn new(traversal: Traversal, num_states: usize, num_edges: usize) -> Self {
        // This many roots have on average 1.5 times as many edges as there are places for states.
        let roots = (OF_ROOTS / 2 * 3 * num_states / num_edges.max(1)).clamp(32, 256) as u32;
        Self {
            roots: if traversal.prefetches_roots { roots } else { 0 },
            next_block: if traversal.order.ascends { 0 } else { u32::MAX },
            ascends: traversal.order.ascends,
        }
    }

    /// Records that the search takes a root. Returns whether a new block begins with this root.
    #[inline(always)]
    pub(super) fn is_due(&mut self, root: u32) -> bool {
        if self.roots == 0 {
            return false;
        }
        let is_due = match self.ascends {
            true => root >= self.next_block,
            false => root <= self.next_block,
        };
        if is_due {
            self.next_block = match self.ascends {
                true => root.saturating_add(self.roots),
                false => root.saturating_sub(self.roots),
            };
        }
        is_due
    }

    /// Prefetches the states to which a root and the next ones lead. There are fewer edges than
    /// states, so the edges of a block are handled together: it would take longer to find out which
    /// edge belongs to which state.
    pub(super) fn prefetch<I: Index>(self, root: u32, index: &[u32], rows: &[I], targets: &[I]) {
        let mut upcoming = Upcoming {
            states: [0; OF_ROOTS],
            len: 0,
        };
        let states = self.states(root, index.len());
        let edges = rows[states.start].as_usize()..rows[states.end].as_usize();
        let targets_of_block = targets[edges].iter().take(OF_ROOTS);
        targets_of_block.for_each(|&target| upcoming.note(index, target));
        upcoming.prefetch_rows(rows, targets);
    }

    /// Returns the block of roots that begins with a root.
    fn states(self, root: u32, num_states: usize) -> Range<usize> {
        let (root, roots) = (root as usize, self.roots as usize);
        match self.ascends {
            true => root..num_states.min(root + roots),
            false => (root + 1).saturating_sub(roots)..root + 1,
        }
    }
}

/// Prefetches the data of the targets of some edges.
#[inline]
pub(super) fn prefetch_targets<I: Index>(
    index: &[u32],
    rows: &[I],
    targets: &[I],
    edges: Range<usize>,
) {
    let mut read = 0;
    for target in targets[edges].iter().take(OF_A_STATE) {
        let target = target.as_usize();
        if index.get(target) == Some(&UNVISITED)
            && let Some(first) = targets.get(first_edge(rows, target))
        {
            read ^= first.as_usize();
        }
    }
    black_box(read);
}

/// Returns the start of the row of a state. If the row is empty, returns the start of the first row
/// instead, because the entry after an empty row is not needed.
#[inline(always)]
fn first_edge<I: Index>(rows: &[I], state: usize) -> usize {
    let (first, end) = (rows[state].as_usize(), rows[state + 1].as_usize());
    if first < end { first } else { 0 }
}

/// Unvisited states that a search will come to.
struct Upcoming {
    states: [usize; OF_ROOTS],
    len: usize,
}

impl Upcoming {
    /// Keeps a state if it is unvisited and there is room. The code has no branch, because a branch
    /// would wait for the index.
    #[inline(always)]
    fn note<I: Index>(&mut self, index: &[u32], state: I) {
        let state = state.as_usize();
        if let Some(place) = self.states.get_mut(self.len) {
            *place = state;
            self.len += usize::from(index.get(state) == Some(&UNVISITED));
        }
    }

    fn prefetch_rows<I: Index>(&mut self, rows: &[I], targets: &[I]) {
        let upcoming = &mut self.states[..self.len];
        for state in &mut *upcoming {
            *state = first_edge(rows, *state);
        }
        let first = upcoming.iter().filter_map(|&row| targets.get(row));
        black_box(first.fold(0, |read, first| read ^ first.as_usize()));
    }
}
