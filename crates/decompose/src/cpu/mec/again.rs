//! Repeated searches of the parts that are in doubt.

use super::MecSearch;
use crate::Error;
use crate::cpu::steps::count;
use crate::cpu::ticker::Ticker;

/// A repeated search that closes less than one in this many of its states counts twice.
const LITTLE_DIVISOR: usize = 16;

impl<const SHARED: bool> MecSearch<'_, SHARED> {
    /// Takes a part that must be searched again. Returns whether there was one.
    pub(in crate::cpu) fn pop_doubtful(&mut self, part: &mut Vec<u32>) -> bool {
        self.doubtful.pop(part)
    }

    /// Takes all parts that must be searched again.
    pub(in crate::cpu) fn take_parts(&mut self) -> Vec<Vec<u32>> {
        let parts = std::iter::from_fn(|| {
            let mut part = Vec::new();
            self.pop_doubtful(&mut part).then_some(part)
        });
        parts.collect()
    }

    /// Makes the states of a part unvisited.
    pub(in crate::cpu) fn reopen(&mut self, part: &[u32]) {
        count(part.len() as u32);
        for &state in part {
            self.set(state, self.region.unvisited);
        }
    }

    /// Visits all unvisited states, from the first one on, or from the last one.
    pub(in crate::cpu) fn visit_all(
        &mut self,
        ascends: bool,
        ticker: &mut Ticker<'_>,
    ) -> Result<(), Error> {
        let n = self.model.index.len() as u32;
        (0..n).try_for_each(|place| {
            let root = if ascends { place } else { n - 1 - place };
            self.from(root, ticker)
        })
    }

    /// Visits those of the states that are unvisited.
    pub(in crate::cpu) fn visit(
        &mut self,
        states: &[u32],
        ticker: &mut Ticker<'_>,
    ) -> Result<(), Error> {
        states
            .iter()
            .try_for_each(|&state| self.from(state, ticker))
    }

    /// Searches parts again, up to a limit on the number of their states and branches. Returns
    /// whether nothing is in doubt any more.
    pub(in crate::cpu) fn again(
        &mut self,
        mut patience: usize,
        ticker: &mut Ticker<'_>,
    ) -> Result<bool, Error> {
        let (mut part, mut parts) = (Vec::new(), 0);
        while self.pop_doubtful(&mut part) {
            let sizes = part.iter().map(|&state| 1 + self.branches_of(state));
            let size: usize = sizes.sum();
            if size > patience {
                self.doubtful.push(&part);
                tracing::debug!(parts, "searched again; going on in lockstep");
                return Ok(false);
            }
            patience = patience.saturating_sub(size);
            parts += 1;
            // If the next step is to go on in lockstep, it begins at these states.
            self.lost.get_or_insert_default().clear();
            let others = self.doubtful.states.len();
            self.reopen(&part);
            self.visit(&part, ticker)?;
            if self.doubtful.states.len() - others > part.len() - part.len() / LITTLE_DIVISOR {
                patience = patience.saturating_sub(size);
            }
        }
        tracing::debug!(parts, "searched again");
        Ok(true)
    }

    /// Adds parts that count as closed.
    pub(in crate::cpu) fn put_back_closed(&mut self, parts: Vec<Vec<u32>>) {
        for part in parts {
            self.num_closed -= part.len();
            self.doubtful.push(&part);
        }
    }
}
