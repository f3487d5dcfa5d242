//! The arrays of a graph while it grows, batch by batch.

use crate::Exploration;
use crate::states::States;
use mdp_graph::{BuildError, MdpGraph, StateId};
use std::ops::Add;

/// The rows that one chunk adds; offsets count from the beginning of the graph.
#[derive(Debug, Default)]
pub(crate) struct ChunkRows {
    pub(crate) choice_ends: Vec<u32>,
    pub(crate) branch_ends: Vec<u32>,
    pub(crate) targets: Vec<StateId>,
    pub(crate) actions: Vec<u32>,
    pub(crate) probabilities: Vec<f64>,
}

impl ChunkRows {
    /// Empties the rows.
    pub(crate) fn clear(&mut self) {
        self.choice_ends.clear();
        self.branch_ends.clear();
        self.targets.clear();
        self.actions.clear();
        self.probabilities.clear();
    }

    /// The memory held, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let numbers = self.choice_ends.capacity()
            + self.branch_ends.capacity()
            + self.targets.capacity()
            + self.actions.capacity();
        numbers * 4 + self.probabilities.capacity() * 8
    }
}

/// State → choices → branches, and what is kept of them.
///
/// What a batch adds is handed over first, and copied when there is time.
#[derive(Debug)]
pub(crate) struct Rows {
    choice_offsets: Vec<u32>,
    branch_offsets: Vec<u32>,
    targets: Vec<StateId>,
    actions: Option<Vec<u32>>,
    probabilities: Option<Vec<f64>>,
    /// Rows that were handed over, and not copied yet.
    pending: Vec<ChunkRows>,
    num_pending: usize,
    /// The number of states, choices and branches, with those that are pending.
    pub(crate) counts: Counts,
}

/// How many rows there are of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) states: u64,
    pub(crate) choices: u64,
    pub(crate) branches: u64,
}

impl Add for Counts {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            states: self.states + other.states,
            choices: self.choices + other.choices,
            branches: self.branches + other.branches,
        }
    }
}

impl Rows {
    pub(crate) fn new(keep_actions: bool, keep_probabilities: bool) -> Self {
        Self {
            choice_offsets: vec![0],
            branch_offsets: vec![0],
            targets: Vec::new(),
            actions: keep_actions.then(Vec::new),
            probabilities: keep_probabilities.then(Vec::new),
            pending: Vec::new(),
            num_pending: 0,
            counts: Counts::default(),
        }
    }

    /// The memory for so many rows, in bytes.
    ///
    /// Arrays grow by doubling, but what is not filled yet is address space, not memory.
    pub(crate) fn bytes(&self, counts: Counts) -> u64 {
        let choice_bytes = if self.actions.is_some() { 8 } else { 4 };
        let branch_bytes = if self.probabilities.is_some() { 12 } else { 4 };
        let rows = (counts.states + 1) * 4
            + (counts.choices + 1) * choice_bytes
            + counts.branches * branch_bytes;
        let pending: usize = self.pending.iter().map(ChunkRows::bytes).sum();
        rows + pending as u64
    }

    /// Takes the next rows, and gives back empty ones.
    pub(crate) fn hand_over(&mut self, rows: &mut ChunkRows) {
        if self.num_pending == self.pending.len() {
            self.pending.push(ChunkRows::default());
        }
        let pending = &mut self.pending[self.num_pending];
        self.num_pending += 1;
        pending.clear();
        std::mem::swap(pending, rows);
        let added = &*pending;
        self.counts = self.counts
            + Counts {
                states: added.choice_ends.len() as u64,
                choices: added.branch_ends.len() as u64,
                branches: added.targets.len() as u64,
            };
    }

    /// Copies the rows that were handed over, on several threads or on this one.
    pub(crate) fn copy_pending(&mut self, parallel: bool) {
        let pending = &self.pending[..self.num_pending];
        let mut copy_choices = || {
            append(&mut self.choice_offsets, pending, |rows| &rows.choice_ends);
            append(&mut self.branch_offsets, pending, |rows| &rows.branch_ends);
            if let Some(actions) = &mut self.actions {
                append(actions, pending, |rows| &rows.actions);
            }
        };
        let mut copy_targets = || append(&mut self.targets, pending, |rows| &rows.targets);
        let mut copy_probabilities = || {
            if let Some(probabilities) = &mut self.probabilities {
                append(probabilities, pending, |rows| &rows.probabilities);
            }
        };
        if parallel {
            rayon::join(copy_choices, || {
                rayon::join(copy_targets, copy_probabilities)
            });
        } else {
            copy_choices();
            copy_targets();
            copy_probabilities();
        }
        self.num_pending = 0;
    }

    /// The finished graph, and the rest of an exploration.
    pub(crate) fn finish(
        mut self,
        mut states: States,
        num_initial: usize,
        deadlocks: u64,
        dropped_branches: u64,
    ) -> Result<Exploration, BuildError> {
        self.copy_pending(true);
        drop(std::mem::take(&mut self.pending));
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
            num_initial,
            actions: self.actions,
            probabilities: self.probabilities,
            deadlocks,
            dropped_branches,
        })
    }
}

/// Appends some part of the rows of each chunk.
fn append<T: Copy>(all: &mut Vec<T>, chunks: &[ChunkRows], part: impl Fn(&ChunkRows) -> &[T]) {
    for rows in chunks {
        all.extend_from_slice(part(rows));
    }
}
