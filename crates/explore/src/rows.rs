//! The arrays of a graph while it grows, batch by batch.

use crate::Exploration;
use crate::states::States;
use mdp_graph::{BuildError, MdpGraph, StateId};

/// The rows that one chunk adds; offsets count from the beginning of the graph.
#[derive(Debug, Default)]
pub(crate) struct ChunkRows {
    first_choice: u32,
    first_branch: u32,
    choice_ends: Vec<u32>,
    branch_ends: Vec<u32>,
    pub(crate) targets: Vec<StateId>,
}

impl ChunkRows {
    /// Begins anew, behind so many choices and branches.
    pub(crate) fn begin(&mut self, first_choice: u32, first_branch: u32) {
        self.first_choice = first_choice;
        self.first_branch = first_branch;
        self.choice_ends.clear();
        self.branch_ends.clear();
        self.targets.clear();
    }

    /// Appends ends of states and choices that count from the beginning of the chunk.
    pub(crate) fn extend_ends(&mut self, choice_ends: &[u32], branch_ends: &[u32]) {
        let choice_ends = choice_ends.iter().map(|end| self.first_choice + end);
        self.choice_ends.extend(choice_ends);
        let branch_ends = branch_ends.iter().map(|end| self.first_branch + end);
        self.branch_ends.extend(branch_ends);
    }

    /// The memory held, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let ends = self.choice_ends.capacity() + self.branch_ends.capacity();
        (ends + self.targets.capacity()) * 4
    }
}

/// State → choices → branches, and what is kept of them.
#[derive(Debug)]
pub(crate) struct Rows {
    choice_offsets: Vec<u32>,
    branch_offsets: Vec<u32>,
    targets: Vec<StateId>,
    actions: Option<Vec<u32>>,
    probabilities: Option<Vec<f64>>,
}

impl Rows {
    pub(crate) fn new(keep_actions: bool, keep_probabilities: bool) -> Self {
        Self {
            choice_offsets: vec![0],
            branch_offsets: vec![0],
            targets: Vec::new(),
            actions: keep_actions.then(Vec::new),
            probabilities: keep_probabilities.then(Vec::new),
        }
    }

    /// The number of choices.
    pub(crate) fn num_choices(&self) -> usize {
        self.branch_offsets.len() - 1
    }

    /// The number of branches.
    pub(crate) fn num_branches(&self) -> usize {
        self.targets.len()
    }

    /// The memory that these arrays fill once they have grown, in bytes.
    ///
    /// Arrays grow by doubling, but what is not filled is address space, not memory.
    pub(crate) fn bytes(
        &self,
        more_states: usize,
        more_choices: usize,
        more_branches: usize,
    ) -> u64 {
        let states = (self.choice_offsets.len() + more_states) as u64;
        let choices = (self.branch_offsets.len() + more_choices) as u64;
        let branches = (self.targets.len() + more_branches) as u64;
        let choice_bytes = if self.actions.is_some() { 8 } else { 4 };
        let branch_bytes = if self.probabilities.is_some() { 12 } else { 4 };
        states * 4 + choices * choice_bytes + branches * branch_bytes
    }

    /// Appends the rows of the next chunk, with the actions of its choices and the probabilities of
    /// its branches.
    pub(crate) fn extend(&mut self, rows: &ChunkRows, actions: &[u32], probabilities: &[f64]) {
        self.choice_offsets.extend_from_slice(&rows.choice_ends);
        self.branch_offsets.extend_from_slice(&rows.branch_ends);
        self.targets.extend_from_slice(&rows.targets);
        if let Some(all) = &mut self.actions {
            all.extend_from_slice(actions);
        }
        if let Some(all) = &mut self.probabilities {
            all.extend_from_slice(probabilities);
        }
    }

    /// The finished graph, and the rest of an exploration.
    pub(crate) fn finish(
        mut self,
        mut states: States,
        num_initial: usize,
        deadlocks: u64,
        dropped_branches: u64,
    ) -> Result<Exploration, BuildError> {
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
