//! E3 and E5: the order of the numbers, which concerns the graph alone.

use super::PIECE;
use super::claim::ClaimedExploration;
use super::violation::{ExplorationError, ExplorationViolation as Violation};
use crate::Observer;
use mdp_graph::{SharedBits, StateId};
use rayon::prelude::*;
use std::ops::Range;

impl ClaimedExploration<'_> {
    /// Checks E3, and E5 if it is claimed.
    pub(super) fn check_numbers<E>(
        &self,
        observer: &dyn Observer,
    ) -> Result<(), ExplorationError<E>> {
        let out_of_order = match self.is_fifo {
            true => match self.check_fifo() {
                Ok(()) => return Ok(()),
                Err(violation) => Some(violation),
            },
            false => None,
        };
        if observer.is_cancelled() {
            return Err(ExplorationError::Cancelled);
        }
        self.check_reached()?;
        match out_of_order {
            Some(violation) => Err(violation.into()),
            None => Ok(()),
        }
    }

    /// Checks E3.
    fn check_reached(&self) -> Result<(), Violation> {
        let reached = SharedBits::new(self.num_states());
        self.pieces(PIECE).for_each(|piece| {
            for state in piece.map(StateId) {
                let targets = self.graph.successors(state).iter();
                for later in targets.filter(|&&target| target > state) {
                    reached.insert(later.0);
                }
            }
        });
        let unreached = self.pieces(PIECE).find_map_first(|mut piece| {
            piece.find(|&state| state as usize >= self.num_initial && !reached.contains(state))
        });
        match unreached.map(StateId) {
            Some(state) => Err(Violation::Unreached { state }),
            None => Ok(()),
        }
    }

    /// Checks E3 and E5: in the sequence of all targets, new states come in ascending order,
    /// without a gap, and each state comes before its own targets. So an edge leads to it from a
    /// state with a smaller number.
    fn check_fifo(&self) -> Result<(), Violation> {
        let found = |piece: Range<u32>| {
            let targets = &self.graph.all_targets()[self.graph.branches_of(piece)];
            targets.iter().map(|target| target.0 + 1).max().unwrap_or(0)
        };
        let mut known: Vec<u32> = self.pieces(PIECE).map(found).collect();
        // The number of states that are known before each piece.
        let mut before = self.num_initial as u32;
        for piece in &mut known {
            before = std::mem::replace(piece, before).max(before);
        }
        let wrong = self.pieces(PIECE).find_map_first(|piece| {
            let mut known = known[piece.start as usize / PIECE];
            piece
                .map(StateId)
                .find_map(|state| self.out_of_order(state, &mut known))
        });
        wrong.map_or(Ok(()), Err)
    }

    /// Returns the first violation of E3 or E5 by a state and its targets. `known` is the number
    /// of states that are found before, and is updated.
    fn out_of_order(&self, state: StateId, known: &mut u32) -> Option<Violation> {
        if state.0 >= *known {
            return Some(Violation::Unreached { state });
        }
        for &target in self.graph.successors(state) {
            if target.0 > *known {
                return Some(Violation::OutOfOrder {
                    state: target,
                    from: state,
                    smaller: StateId(*known),
                });
            }
            *known = (*known).max(target.0 + 1);
        }
        None
    }
}
