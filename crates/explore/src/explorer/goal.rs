//! Searches with a goal.

use super::Explorer;
use crate::states::Width;
use crate::{Discoveries, Error, System};
use std::ops::Range;

impl<S: System, W: Width> Explorer<'_, S, W> {
    /// Expands a batch. If there is a goal, and the expansion fails or may exceed the limit on the
    /// number of states, an earlier state of the batch may meet the goal. In this case, the
    /// function returns `None`, and the next batch is smaller.
    ///
    /// Therefore the sizes of batches do not determine whether the goal or a failure comes first.
    pub(super) fn expand_in_order(
        &mut self,
        batch: &Range<u32>,
    ) -> Result<Option<usize>, Error<S::Error>> {
        let size = batch.end - batch.start;
        if self.options.goal.is_none() || size == 1 {
            return self.expand(batch).map(Some);
        }
        match self.expand(batch) {
            Err(error @ Error::Cancelled { .. }) => return Err(error),
            Ok(used) if self.surely_fits(used) => {
                self.most = self.most.saturating_mul(2);
                return Ok(Some(used));
            }
            _ => self.most = size / 2,
        }
        Ok(None)
    }

    /// Returns whether the number of states stays within the limit even if all targets of a batch
    /// are new.
    fn surely_fits(&self, used: usize) -> bool {
        let chunks = self.chunks[..used].iter();
        let branches: usize = chunks.map(|chunk| chunk.choices.num_branches()).sum();
        let limit = self.options.limits.states.unwrap_or(u64::MAX);
        self.states.len() as u64 + branches as u64 <= limit
    }

    /// Returns whether the goal is met after a batch. `known` is the number of states before the
    /// batch.
    pub(super) fn is_met(&self, used: usize, batch: &Range<u32>, known: u32) -> bool {
        let Some(goal) = self.options.goal else {
            return false;
        };
        let pieces = || {
            let chunks = self.chunks[..used].iter();
            chunks
                .map(|chunk| &chunk.choices.found.actions[..])
                .collect()
        };
        goal.is_met(&Discoveries {
            words: self.width.words(),
            states: self.states.packed(),
            fresh: known..self.states.len() as u32,
            expanded: batch.clone(),
            actions: self.options.actions.then(pieces),
            has_deadlock: self.deadlocks > 0,
        })
    }
}
