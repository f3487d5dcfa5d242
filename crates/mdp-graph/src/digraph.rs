//! [`Digraph`]: the flat edge view, choices merged and duplicates removed.

use crate::transpose::transpose;
use crate::{MdpGraph, StateId};
use rayon::prelude::*;

/// How many states a thread merges at a time.
const PIECE: usize = 1 << 14;

/// A directed graph as compressed sparse rows; the targets of a state are ascending and distinct.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Digraph {
    offsets: Vec<u32>,
    targets: Vec<u32>,
}

impl Digraph {
    /// Returns the edges of `graph`: s → t where t is a target of some choice of s. Runs on all
    /// threads of the current rayon pool.
    pub fn new(graph: &MdpGraph) -> Self {
        let n = graph.num_states();
        let pieces: Vec<(Vec<u32>, Vec<u32>)> = (0..n.div_ceil(PIECE))
            .into_par_iter()
            .map(|piece| merge_choices(graph, piece * PIECE..((piece + 1) * PIECE).min(n)))
            .collect();
        let mut offsets = Vec::with_capacity(n + 1);
        let mut targets = Vec::with_capacity(pieces.iter().map(|(_, targets)| targets.len()).sum());
        offsets.push(0);
        for (piece_ends, piece_targets) in pieces {
            let base = targets.len() as u32;
            offsets.extend(piece_ends.iter().map(|end| base + end));
            targets.extend_from_slice(&piece_targets);
        }
        Self { offsets, targets }
    }

    /// Returns the graph with all edges reversed. Runs on all threads of the current rayon pool.
    pub fn transpose(&self) -> Self {
        let (offsets, targets) = transpose(&self.offsets[1..], &self.targets, self.num_states());
        Self { offsets, targets }
    }

    /// Returns the number of states.
    pub fn num_states(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Returns the number of edges.
    pub fn num_edges(&self) -> usize {
        self.targets.len()
    }

    /// Returns the targets of the edges of `state`, ascending.
    #[inline]
    pub fn successors(&self, state: StateId) -> &[StateId] {
        let s = state.index();
        StateId::cast_slice(&self.targets[self.offsets[s] as usize..self.offsets[s + 1] as usize])
    }

    /// Returns the `n + 1` offsets into [`targets`](Self::targets).
    pub fn offsets(&self) -> &[u32] {
        &self.offsets
    }

    /// Returns the targets of all edges.
    pub fn targets(&self) -> &[StateId] {
        StateId::cast_slice(&self.targets)
    }
}

/// Returns the merged targets of some states: the end of each state's targets, and the targets.
fn merge_choices(graph: &MdpGraph, states: std::ops::Range<usize>) -> (Vec<u32>, Vec<u32>) {
    let mut ends = Vec::with_capacity(states.len());
    let mut targets: Vec<u32> = Vec::new();
    let mut row = Vec::new();
    for state in states {
        row.clear();
        row.extend_from_slice(StateId::as_numbers(
            graph.successors(StateId::from_index(state)),
        ));
        row.sort_unstable();
        row.dedup();
        targets.extend_from_slice(&row);
        ends.push(targets.len() as u32);
    }
    (ends, targets)
}
