//! The branches of each state, as one row.

use super::giant::Edges;
use mdp_graph::{BitSet, MdpGraph, StateId, Table};
use rayon::prelude::*;
use std::ops::Range;

/// So many states are worth a thread's while.
const PIECE: usize = 1 << 14;

/// `n + 1` offsets of states into the branches: both levels of the graph in one look-up.
pub(super) enum Offsets<'a> {
    /// The graph's own, where each state has one choice.
    OfChoices(&'a [u32]),
    Joined(Table<u32>),
}

impl<'a> Offsets<'a> {
    pub(super) fn new(graph: &'a MdpGraph) -> Self {
        let (choices, branches) = (graph.choice_offsets(), graph.branch_offsets());
        let one_each = |pair: &[u32]| pair[1] == pair[0] + 1;
        if graph.num_choices() == graph.num_states() && choices.windows(2).all(one_each) {
            return Self::OfChoices(branches);
        }
        let mut joined = Table::new(choices.len());
        let offsets = joined.par_iter_mut().zip(choices).with_min_len(PIECE);
        offsets.for_each(|(offset, &choice)| *offset = branches[choice as usize]);
        Self::Joined(joined)
    }
}

/// All branches, by state.
#[derive(Clone, Copy)]
pub(super) struct Rows<'a> {
    offsets: &'a [u32],
    targets: &'a [StateId],
}

impl<'a> Rows<'a> {
    pub(super) fn new(offsets: &'a Offsets<'_>, graph: &'a MdpGraph) -> Self {
        Self {
            offsets: match offsets {
                Offsets::OfChoices(offsets) => offsets,
                Offsets::Joined(offsets) => offsets,
            },
            targets: graph.all_targets(),
        }
    }

    #[inline]
    pub(super) fn num_states(self) -> usize {
        self.offsets.len() - 1
    }

    /// The branches of a state.
    #[inline]
    pub(super) fn row(self, state: StateId) -> Range<u32> {
        self.offsets[state.index()]..self.offsets[state.index() + 1]
    }

    /// Where branches lead.
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

/// Where choices end: a bit a branch, few enough to stay in a cache.
pub(super) struct Ends(BitSet);

impl Ends {
    pub(super) fn new(graph: &MdpGraph) -> Self {
        let ends = &graph.branch_offsets()[1..];
        Self(BitSet::of_ascending(graph.num_branches() + 1, ends))
    }

    /// The branches of a choice, given by the first.
    #[inline]
    pub(super) fn choice(&self, first: u32) -> Range<u32> {
        let mut end = first + 1;
        while !self.0.contains(end as usize) {
            end += 1;
        }
        first..end
    }

    /// How many choices end among some branches.
    pub(super) fn count(&self, branches: Range<u32>) -> usize {
        let ends = branches.map(|branch| branch as usize + 1);
        ends.filter(|&end| self.0.contains(end)).count()
    }
}
