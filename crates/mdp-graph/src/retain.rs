//! Makes a graph with some of the choices of another graph.

use crate::{BuildError, ChoiceId, ChunkBuilder, Deadlocks, MdpGraph, StateId, assemble};
use rayon::prelude::*;

/// How many states a thread looks at in a row.
const PIECE: usize = 1 << 12;

impl MdpGraph {
    /// Returns the graph of the same states, with only those choices for which `keep` holds.
    ///
    /// # Errors
    /// [`BuildError::OutOfMemory`].
    pub fn retain_choices(
        &self,
        keep: impl Fn(StateId, ChoiceId) -> bool + Sync,
    ) -> Result<Self, BuildError> {
        let starts = (0..self.num_states()).into_par_iter().step_by(PIECE);
        let chunks = starts.map(|start| {
            let mut chunk = ChunkBuilder::default();
            let range = start..self.num_states().min(start + PIECE);
            for state in range.map(StateId::from_index) {
                let kept = self.choices(state).filter(|&choice| keep(state, choice));
                kept.for_each(|choice| chunk.push_choice(state, self.targets(choice)));
            }
            chunk.finish()
        });
        let chunks = chunks.collect();
        Ok(assemble(self.num_states() as u32, chunks, Deadlocks::Keep)?.graph)
    }
}
