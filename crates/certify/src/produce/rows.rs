//! The branches of each state, as one row.

use super::giant::Edges;
use mdp_graph::{BitSet, MdpGraph, StateId, StateRows};
use std::ops::Range;

/// All branches, by state.
#[derive(Clone, Copy)]
pub(super) struct Rows<'a> {
    offsets: &'a [u32],
    targets: &'a [StateId],
}

impl<'a> Rows<'a> {
    pub(super) fn new(offsets: &'a StateRows<'_>, graph: &'a MdpGraph) -> Self {
        Self {
            offsets,
            targets: graph.all_targets(),
        }
    }

    /// Returns the branches of a state.
    #[inline]
    pub(super) fn row(self, state: StateId) -> Range<u32> {
        self.offsets[state.index()]..self.offsets[state.index() + 1]
    }

    /// Returns the targets of branches.
    #[inline]
    pub(super) fn targets(self, branches: Range<u32>) -> &'a [StateId] {
        &self.targets[branches.start as usize..branches.end as usize]
    }
}

/// All edges.
impl Edges for Rows<'_> {
    #[inline]
    fn any(&self, state: StateId, visit: impl FnMut(StateId) -> bool) -> bool {
        let targets = self.targets(self.row(state)).iter();
        targets.copied().any(visit)
    }
}

/// The ends of choices, one bit per branch, so that they may stay in a cache.
pub(super) struct Ends(BitSet);

impl Ends {
    pub(super) fn new(graph: &MdpGraph) -> Self {
        let ends = &graph.branch_offsets()[1..];
        Self(BitSet::of_ascending(graph.num_branches() + 1, ends))
    }

    /// Returns the branches of the choice with this first branch.
    #[inline]
    pub(super) fn choice(&self, first: u32) -> Range<u32> {
        let mut end = first + 1;
        while !self.0.contains(end as usize) {
            end += 1;
        }
        first..end
    }

    /// Returns the number of choices that end among these branches.
    pub(super) fn count(&self, branches: Range<u32>) -> usize {
        let ends = branches.map(|branch| branch as usize + 1);
        ends.filter(|&end| self.0.contains(end)).count()
    }
}
