//! Roots: the states at which searches begin, and the roots that can be closed without a search.

use super::depth_first::{ROOT, SccSearch};
use super::prefetch::UNVISITED;
use crate::Error;
use crate::cpu::steps;
use crate::cpu::ticker::{PERIOD, Ticker};
use mdp_graph::Index;

/// The unvisited states, other than itself, to which a state leads.
enum Unvisited {
    None,
    One(u32),
    More,
}

impl<I: Index> SccSearch<'_, I> {
    /// Closes all unvisited states without an edge. The code has no branch, because a processor
    /// could not predict it.
    pub(super) fn trim_sinks(&mut self, ticker: &Ticker<'_>) -> Result<(), Error> {
        let (mut next, before) = (self.next_component, self.next_component);
        let pieces = self.index.chunks_mut(PERIOD as usize);
        let rows = (0..).step_by(PERIOD as usize).map(|at| &self.rows[at..]);
        for (piece, rows) in pieces.zip(rows) {
            for (index, row) in piece.iter_mut().zip(rows.windows(2)) {
                let ends = (row[0].as_usize() == row[1].as_usize()) & (*index == UNVISITED);
                *index = if ends { next } else { *index };
                next -= u32::from(ends);
            }
            ticker.report(self.closed + (before - next) as usize)?;
        }
        self.closed += (before - next) as usize;
        self.next_component = next;
        Ok(())
    }

    /// Takes unvisited states as roots, and closes each of them, by itself or together with one
    /// other state, as long as no search is needed, that is, as long as all other states to which
    /// they lead are closed. Returns the first root that needs a search.
    #[inline(always)]
    pub(super) fn next_root(
        &mut self,
        roots: &mut impl Iterator<Item = u32>,
        ticker: &Ticker<'_>,
    ) -> Result<Option<u32>, Error> {
        debug_assert_eq!(self.next_index, ROOT);
        if self.closed == self.all {
            return Ok(None);
        }
        let mut until_report = PERIOD;
        for root in roots {
            if self.root_prefetch.takes() {
                self.root_prefetch
                    .prefetch(root, self.index, self.rows, self.targets);
            }
            if self.index[root as usize] != UNVISITED {
                continue;
            }
            let is_closed = match self.unvisited(root) {
                Unvisited::None => self.close_root(root),
                Unvisited::One(other) => self.close_pair(root, other),
                Unvisited::More => false,
            };
            if !is_closed {
                return Ok(Some(root));
            }
            until_report -= 1;
            if until_report == 0 {
                until_report = PERIOD;
                ticker.report(self.closed)?;
            }
        }
        Ok(None)
    }

    /// Returns the unvisited states to which a state leads.
    #[inline(always)]
    fn unvisited(&self, state: u32) -> Unvisited {
        let row = self.row(state);
        steps::count(row.len() as u32);
        // A target out of range has no index, and is left to the search.
        let is_unvisited = |&target: &usize| {
            target != state as usize
                && self
                    .index
                    .get(target)
                    .is_none_or(|&index| index == UNVISITED)
        };
        let targets = row.iter().map(|&target| target.as_usize());
        let mut unvisited = targets.filter(is_unvisited);
        match unvisited.next() {
            None => Unvisited::None,
            Some(one) if one < self.index.len() && unvisited.all(|target| target == one) => {
                Unvisited::One(one as u32)
            }
            Some(_) => Unvisited::More,
        }
    }

    /// Closes a root all of whose targets are closed.
    #[inline(always)]
    fn close_root(&mut self, root: u32) -> bool {
        self.index[root as usize] = self.lone.unwrap_or(self.next_component);
        self.next_component -= 1;
        self.closed += 1;
        true
    }

    /// Closes a root together with the only unvisited state to which it leads, if this state leads
    /// back to the root and to no other unvisited state. Returns whether it does.
    #[inline(always)]
    fn close_pair(&mut self, root: u32, other: u32) -> bool {
        let leads_back = match self.unvisited(other) {
            Unvisited::One(target) => target == root,
            Unvisited::None | Unvisited::More => false,
        };
        if leads_back {
            self.index[root as usize] = self.next_component;
            self.index[other as usize] = self.next_component;
            self.next_component -= 1;
            self.closed += 2;
        }
        leads_back
    }
}
