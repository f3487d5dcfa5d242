//! The edges that a search by sweeps follows: all edges, or only the edges of choices that stay.

use crate::sample::EdgeSample;
use mdp_graph::{Index, MdpGraph, SharedBits, StateId};
use std::ops::Range;

pub(super) trait Edges: Sync {
    /// Calls `visit` with each target of a state.
    fn each_target(&self, state: u32, visit: impl FnMut(u32));

    /// Returns whether a state has another state as a target.
    fn leads_elsewhere(&self, state: u32) -> bool {
        let mut does = false;
        self.each_target(state, |target| does |= target != state);
        does
    }

    /// Returns whether a state has a target in a set.
    fn lead_into(&self, state: u32, set: &SharedBits) -> bool;

    /// Returns whether one of these states may have a target in a set.
    fn may_lead_into(&self, states: Range<usize>, set: &SharedBits) -> bool;
}

/// All edges: those of state `s` are `targets[rows[s]..rows[s + 1]]`.
#[derive(Clone, Copy)]
pub(super) struct AllEdges<'a, I = u32> {
    pub(super) rows: &'a [I],
    pub(super) targets: &'a [I],
}

impl<'a, I: Index> AllEdges<'a, I> {
    pub(super) fn num_states(&self) -> usize {
        self.rows.len() - 1
    }

    #[inline(always)]
    pub(super) fn of(&self, state: u32) -> &'a [I] {
        let state = state as usize;
        &self.targets[self.rows[state].as_usize()..self.rows[state + 1].as_usize()]
    }

    /// Returns the targets of these states, state after state.
    pub(super) fn of_states(&self, states: Range<u32>) -> &'a [I] {
        let [start, end] = [states.start, states.end].map(|state| self.rows[state as usize]);
        &self.targets[start.as_usize()..end.as_usize()]
    }

    /// Returns a sample of the edges.
    pub(super) fn sample(&self) -> EdgeSample {
        EdgeSample::of_rows(self.num_states() as u64, |state| {
            let targets = self.of(state as u32).iter();
            targets.map(|&target| target.as_usize() as u64)
        })
    }
}

impl<'a> AllEdges<'a> {
    pub(super) fn new(graph: &'a MdpGraph, rows: &'a [u32]) -> Self {
        Self {
            rows,
            targets: StateId::as_numbers(graph.all_targets()),
        }
    }

    /// Returns whether all targets of a state are the state itself or in a set.
    #[inline]
    pub(super) fn lead_within(&self, state: u32, set: &SharedBits) -> bool {
        let mut targets = self.of(state).iter();
        targets.all(|&target| target == state || set.contains(target))
    }
}

/// A graph, and where the edges of each state begin.
#[derive(Clone, Copy)]
pub(super) struct GraphRows<'a> {
    pub(super) graph: &'a MdpGraph,
    /// The first branch of each state, and the end of all branches.
    pub(super) rows: &'a [u32],
}

impl<'a> GraphRows<'a> {
    /// Returns the edges of the graph.
    pub(super) fn edges(self) -> AllEdges<'a> {
        AllEdges::new(self.graph, self.rows)
    }
}

impl Edges for AllEdges<'_> {
    #[inline]
    fn each_target(&self, state: u32, visit: impl FnMut(u32)) {
        self.of(state).iter().copied().for_each(visit);
    }

    #[inline]
    fn lead_into(&self, state: u32, set: &SharedBits) -> bool {
        self.of(state).iter().any(|&target| set.contains(target))
    }

    /// Looks at all edges, even after a hit. If rows differ in length, this is faster than looking
    /// up the end of each row.
    #[inline]
    fn may_lead_into(&self, states: Range<usize>, set: &SharedBits) -> bool {
        let (first, end) = (self.rows[states.start], self.rows[states.end]);
        let targets = self.targets[first as usize..end as usize].iter();
        targets.fold(false, |found, &target| found | set.contains(target))
    }
}

/// The edges of the choices without a target in `decided`.
pub(super) struct StayingEdges<'a> {
    pub(super) graph: &'a MdpGraph,
    pub(super) decided: &'a SharedBits,
}

impl StayingEdges<'_> {
    /// Returns the targets of each choice that stays.
    #[inline]
    pub(super) fn choices(&self, state: u32) -> impl Iterator<Item = &[u32]> {
        let choices = self.graph.choices(StateId(state));
        let targets = choices.map(|choice| StateId::as_numbers(self.graph.targets(choice)));
        targets.filter(|targets| !targets.iter().any(|&target| self.decided.contains(target)))
    }
}

impl Edges for StayingEdges<'_> {
    #[inline]
    fn each_target(&self, state: u32, visit: impl FnMut(u32)) {
        self.choices(state).flatten().copied().for_each(visit);
    }

    #[inline]
    fn lead_into(&self, state: u32, set: &SharedBits) -> bool {
        self.choices(state)
            .any(|targets| targets.iter().any(|&target| set.contains(target)))
    }

    /// Finding out which choices stay takes as long as the search itself.
    #[inline]
    fn may_lead_into(&self, _: Range<usize>, _: &SharedBits) -> bool {
        true
    }
}
