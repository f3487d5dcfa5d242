//! The arrays of a graph while it grows, batch by batch.

use crate::Exploration;
use crate::buffer::growth;
use crate::chunk::{Chunk, Lookup};
use crate::counts::Counts;
use crate::options::Details;
use crate::states::States;
use mdp_graph::{BuildError, MdpGraph, StateId};
use std::mem::swap;

/// The rows of one chunk.
#[derive(Debug, Default)]
pub(crate) struct ChunkRows {
    /// The number of rows before these.
    before: Counts,
    /// Offsets, which count from the beginning of the chunk.
    choice_ends: Vec<u32>,
    branch_ends: Vec<u32>,
    targets: Vec<StateId>,
    actions: Vec<u32>,
    probabilities: Vec<f64>,
}

impl ChunkRows {
    /// Returns the memory held, in bytes.
    fn bytes(&self) -> usize {
        let numbers = self.choice_ends.capacity()
            + self.branch_ends.capacity()
            + self.targets.capacity()
            + self.actions.capacity();
        numbers * 4 + self.probabilities.capacity() * 8
    }
}

/// The arrays of the graph (state → choices → branches), with actions and probabilities if they are
/// kept.
///
/// The rows of a batch are handed over first, and copied later.
#[derive(Debug)]
pub(crate) struct Rows {
    choice_offsets: Vec<u32>,
    branch_offsets: Vec<u32>,
    targets: Vec<StateId>,
    actions: Option<Vec<u32>>,
    probabilities: Option<Vec<f64>>,
    /// The rows that were handed over but are not copied yet.
    pending: Vec<ChunkRows>,
    num_pending: usize,
    /// The number of states, choices and branches, including those that are pending.
    pub(crate) counts: Counts,
}

impl Rows {
    pub(crate) fn new(details: Details) -> Self {
        Self {
            choice_offsets: vec![0],
            branch_offsets: vec![0],
            targets: Vec::new(),
            actions: details.actions.then(Vec::new),
            probabilities: details.probabilities.then(Vec::new),
            pending: Vec::new(),
            num_pending: 0,
            counts: Counts::default(),
        }
    }

    /// Returns the memory for this many rows, in bytes.
    ///
    /// Arrays grow by doubling, but the part that is not filled yet is address space, not memory.
    pub(crate) fn bytes(&self, counts: Counts) -> u64 {
        let choice_bytes = if self.actions.is_some() { 8 } else { 4 };
        let branch_bytes = if self.probabilities.is_some() { 12 } else { 4 };
        let rows = (counts.states + 1) * 4
            + (counts.choices + 1) * choice_bytes
            + counts.branches * branch_bytes;
        let pending: usize = self.pending.iter().map(ChunkRows::bytes).sum();
        rows + pending as u64
    }

    /// Returns the additional memory for each array when there are this many rows, in bytes.
    pub(crate) fn growth(&self, counts: Counts) -> [usize; 5] {
        let choices = counts.choices as usize;
        let branches = counts.branches as usize;
        [
            growth(&self.choice_offsets, counts.states as usize + 1),
            growth(&self.branch_offsets, choices + 1),
            growth(&self.targets, branches),
            self.actions.as_ref().map_or(0, |all| growth(all, choices)),
            self.probabilities
                .as_ref()
                .map_or(0, |all| growth(all, branches)),
        ]
    }

    /// Takes the rows of a chunk, and returns free memory in exchange.
    pub(crate) fn hand_over(&mut self, chunk: &mut Chunk<'_>, found: &mut Lookup) {
        if self.num_pending == self.pending.len() {
            self.pending.push(ChunkRows::default());
        }
        let rows = &mut self.pending[self.num_pending];
        self.num_pending += 1;
        rows.before = self.counts;
        self.counts = self.counts + chunk.counts();
        let choices = &mut chunk.choices;
        swap(&mut rows.choice_ends, &mut chunk.choice_ends);
        swap(&mut rows.branch_ends, &mut choices.found.branch_ends);
        swap(&mut rows.targets, &mut found.numbers);
        swap(&mut rows.actions, &mut choices.found.actions);
        swap(&mut rows.probabilities, &mut choices.found.probabilities);
    }

    /// Copies the rows that were handed over, on several threads or on this one.
    pub(crate) fn copy_pending(&mut self, parallel: bool) {
        let pending = &self.pending[..self.num_pending];
        // Counts have been checked: offsets fit.
        let mut copy_choices = || {
            for rows in pending {
                let before = rows.before.choices as u32;
                let ends = rows.choice_ends.iter().map(|end| before + end);
                self.choice_offsets.extend(ends);
                let before = rows.before.branches as u32;
                let ends = rows.branch_ends.iter().map(|end| before + end);
                self.branch_offsets.extend(ends);
                if let Some(actions) = &mut self.actions {
                    actions.extend_from_slice(&rows.actions);
                }
            }
        };
        let mut copy_branches = || {
            for rows in pending {
                self.targets.extend_from_slice(&rows.targets);
                if let Some(probabilities) = &mut self.probabilities {
                    probabilities.extend_from_slice(&rows.probabilities);
                }
            }
        };
        if parallel {
            rayon::join(copy_choices, copy_branches);
        } else {
            copy_choices();
            copy_branches();
        }
        self.num_pending = 0;
    }

    /// Returns the finished graph, and the other parts of an exploration.
    pub(crate) fn finish(
        mut self,
        mut states: States,
        num_initial: usize,
        deadlocks: u64,
        dropped_branches: u64,
    ) -> Result<Exploration, BuildError> {
        self.copy_pending(true);
        drop(std::mem::take(&mut self.pending));
        let expanded = self.choice_offsets.len() - 1;
        let last = self.choice_offsets[expanded];
        self.choice_offsets.resize(states.len() + 1, last);
        self.choice_offsets.shrink_to_fit();
        self.branch_offsets.shrink_to_fit();
        self.targets.shrink_to_fit();
        self.actions.iter_mut().for_each(Vec::shrink_to_fit);
        self.probabilities.iter_mut().for_each(Vec::shrink_to_fit);
        states.shrink_to_fit();
        let graph = MdpGraph::from_parts(self.choice_offsets, self.branch_offsets, self.targets)?;
        Ok(Exploration {
            graph,
            states,
            expanded,
            num_initial,
            actions: self.actions,
            probabilities: self.probabilities,
            deadlocks,
            dropped_branches,
        })
    }
}
