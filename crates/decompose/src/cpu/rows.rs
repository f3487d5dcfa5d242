//! Where each state's branches begin and end: both levels of the graph in one look-up.

use mdp_graph::{MdpGraph, Table};
use rayon::prelude::*;
use std::ops::Deref;

/// So many states are worth a thread's while.
const PIECE: usize = 1 << 14;

/// `n + 1` offsets of states into the branches.
pub(super) enum Rows<'a> {
    /// The graph's own, where each state has one choice.
    OfChoices(&'a [u32]),
    Joined(Table<u32>),
}

impl<'a> Rows<'a> {
    pub(super) fn new(graph: &'a MdpGraph) -> Self {
        let (choices, branches) = (graph.choice_offsets(), graph.branch_offsets());
        let one_each = |pair: &[u32]| pair[1] == pair[0] + 1;
        if graph.num_choices() == graph.num_states() && choices.windows(2).all(one_each) {
            return Self::OfChoices(branches);
        }
        let mut rows = Table::new(choices.len());
        let pairs = rows.par_iter_mut().zip(choices).with_min_len(PIECE);
        pairs.for_each(|(row, &choice)| *row = branches[choice as usize]);
        Self::Joined(rows)
    }
}

impl Deref for Rows<'_> {
    type Target = [u32];

    fn deref(&self) -> &[u32] {
        match self {
            Self::OfChoices(rows) => rows,
            Self::Joined(rows) => rows,
        }
    }
}
