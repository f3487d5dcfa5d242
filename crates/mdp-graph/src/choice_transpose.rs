//! [`ChoiceTranspose`]: for each state, the choices that may lead to it.

use crate::transpose::transpose;
use crate::{ChoiceId, MdpGraph, StateId};

/// For each state, the choices that have it among their targets, ascending.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChoiceTranspose {
    offsets: Vec<u32>,
    choices: Vec<u32>,
}

impl ChoiceTranspose {
    /// Returns the choice-transpose of `graph`. Runs on all threads of the current rayon pool.
    pub fn new(graph: &MdpGraph) -> Self {
        let targets = StateId::as_numbers(graph.all_targets());
        let (offsets, choices) =
            transpose(&graph.branch_offsets()[1..], targets, graph.num_states());
        Self { offsets, choices }
    }

    /// Returns the choices that may lead to `state`, ascending.
    #[inline]
    pub fn choices_into(&self, state: StateId) -> &[ChoiceId] {
        let s = state.index();
        ChoiceId::cast_slice(&self.choices[self.offsets[s] as usize..self.offsets[s + 1] as usize])
    }
}
