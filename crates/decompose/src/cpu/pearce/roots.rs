//! Roots: the states at which searches begin, and the roots that can be closed without a search.

use super::depth_first::{ROOT, SccSearch};
use super::prefetch::UNVISITED;
use crate::Error;
use crate::cpu::steps;
use crate::cpu::ticker::{PERIOD, Ticker};
use mdp_graph::Index;

impl<I: Index> SccSearch<'_, I> {
    /// Closes all unvisited states without an edge. The code has no branch, because a processor
    /// could not predict it.
    pub(super) fn trim_sinks(&mut self, ticker: &Ticker<'_>) -> Result<(), Error> {
        let (mut next, before) = (self.next_component, self.next_component);
        let lone = self.lone;
        let pieces = self.index.chunks_mut(PERIOD as usize);
        let rows = (0..).step_by(PERIOD as usize).map(|at| &self.rows[at..]);
        for (piece, rows) in pieces.zip(rows) {
            for (index, row) in piece.iter_mut().zip(rows.windows(2)) {
                let ends = (row[0].as_usize() == row[1].as_usize()) & (*index == UNVISITED);
                let mark = lone.unwrap_or(next);
                *index = if ends { mark } else { *index };
                next -= u32::from(ends);
            }
            ticker.report(self.closed + (before - next) as usize)?;
        }
        let num_closed = (before - next) as usize;
        self.closed += num_closed;
        match lone {
            Some(_) => self.num_lone += num_closed,
            None => self.next_component = next,
        }
        Ok(())
    }

    /// Closes an unvisited root, by itself or together with one other state, if no search is
    /// needed, that is, if all other states to which they lead are closed. Returns whether it does.
    #[inline(always)]
    pub(super) fn close_root(&mut self, root: u32) -> bool {
        debug_assert_eq!(self.next_index, ROOT);
        if self.are_closed(self.row(root), |target| target == root as usize) {
            self.index[root as usize] = self.mark_of_lone();
            self.closed += 1;
            return true;
        }
        let Some(other) = self.other_of_pair(root) else {
            return false;
        };
        let component = self.take_number();
        self.index[root as usize] = component;
        self.index[other as usize] = component;
        self.closed += 2;
        true
    }

    /// Returns whether all targets are closed, apart from those that `may_be_open`.
    #[inline(always)]
    fn are_closed(&self, row: &[I], may_be_open: impl Fn(usize) -> bool) -> bool {
        steps::count(row.len() as u32);
        row.iter().all(|&target| {
            let target = target.as_usize();
            let mark = self.index.get(target);
            may_be_open(target) || mark.is_some_and(|&mark| mark != UNVISITED)
        })
    }

    /// Returns the only unvisited state to which a root leads, if this state leads back to the root
    /// and to no other unvisited state.
    #[inline(always)]
    fn other_of_pair(&self, root: u32) -> Option<u32> {
        let is_unvisited = |target: usize| self.index.get(target) == Some(&UNVISITED);
        let mut targets = self.row(root).iter().map(|&target| target.as_usize());
        let other = targets.find(|&target| target != root as usize && is_unvisited(target))?;
        let back = self.row(other as u32);
        let leads_back = back
            .iter()
            .any(|&target| target.as_usize() == root as usize);
        let is_of_pair = |target| target == root as usize || target == other;
        let is_pair = leads_back
            && self.are_closed(back, is_of_pair)
            && self.are_closed(self.row(root), is_of_pair);
        is_pair.then_some(other as u32)
    }
}
