//! Runs: states with consecutive numbers, ascending or descending, each of which leads only to the
//! next one.
//!
//! A search visits a run as a whole. The states of a run have consecutive visit indices and no
//! further edges to visit when the search returns to them, so one frame of the path stands for all
//! of them.

use super::super::steps;
use super::super::ticker::{PERIOD, Ticker};
use super::depth_first::{Frame, SccSearch, Visit};
use super::prefetch::UNVISITED;
use crate::Error;
use mdp_graph::{Index, Stack};
use std::cmp::Ordering;

/// The value of `next` in a frame that stands for a run. No branch has this number.
const RUN: u32 = u32::MAX;

impl Frame {
    /// Returns the frame of a run.
    fn of_run(first: u32, last: u32) -> Self {
        Self {
            state: first,
            next: RUN,
            own: last,
        }
    }

    pub(super) fn is_run(self) -> bool {
        self.next == RUN
    }

    /// Returns the first and the last state, if this is the frame of a run.
    fn ends(self) -> (u32, u32) {
        match self.is_run() {
            true => (self.state, self.own),
            false => (self.state, self.state),
        }
    }

    /// Returns the states that the frame stands for.
    pub(super) fn states(self) -> impl Iterator<Item = u32> {
        let (first, last) = self.ends();
        first.min(last)..=first.max(last)
    }
}

impl<I: Index> SccSearch<'_, I> {
    /// Returns whether a state whose visit has begun leads only to this child, and the child has a
    /// neighbouring number.
    #[inline(always)]
    pub(super) fn is_start_of_run(&self, state: u32, child: u32) -> bool {
        state.abs_diff(child) == 1 && self.degree(state) == 1
    }

    #[inline(always)]
    fn degree(&self, state: u32) -> usize {
        self.rows[state as usize + 1].as_usize() - self.rows[state as usize].as_usize()
    }

    /// Visits unvisited states from `next` on, as long as each leads only to the next one. The run
    /// begins with the state before them. Returns the visit of the first state that is not part of
    /// the run. The length of a run is limited, so that the observer can be asked after each run.
    ///
    /// # Errors
    /// If the observer cancels the search.
    #[inline(always)]
    pub(super) fn follow_run(
        &mut self,
        first: u32,
        mut next: u32,
        path: &mut Stack<'_, Frame>,
        ticker: &Ticker<'_>,
    ) -> Result<Visit, Error> {
        let step = next.wrapping_sub(first);
        let (rows, targets, index) = (self.rows, self.targets, &mut *self.index);
        let (mut last, mut number) = (first, self.next_index);
        // The number of the next state is computed and not read, so the reads for different states
        // can overlap.
        for _ in 0..PERIOD {
            let (begin, end) = (
                rows[next as usize].as_usize(),
                rows[next as usize + 1].as_usize(),
            );
            let after = next.wrapping_add(step);
            if end - begin != 1
                || targets[begin].as_usize() != after as usize
                || index.get(after as usize) != Some(&UNVISITED)
            {
                break;
            }
            index[next as usize] = number;
            number += 1;
            (last, next) = (next, after);
        }
        self.next_index = number;
        steps::count(first.abs_diff(next));
        path.push(Frame::of_run(first, last));
        if first.abs_diff(last) == PERIOD {
            ticker.report(self.closed)?;
        }
        Ok(self.enter::<false>(next))
    }

    /// Ends the visits of the states of a run. `low` is the low link that the last state gets from
    /// the state to which it leads. Returns the low link for the parent of the first state.
    #[inline(always)]
    pub(super) fn leave_run(&mut self, run: Frame, mut low: u32) -> u32 {
        let (first, last) = run.ends();
        if low < self.index[first as usize] {
            // All states of the run reach a state before the run, and stay open.
            for state in run.states() {
                self.index[state as usize] = low;
                self.open.push(state);
            }
            return low;
        }
        let mut state = last;
        loop {
            low = self.leave(state, self.index[state as usize], low);
            match state.cmp(&first) {
                Ordering::Equal => return low,
                Ordering::Greater => state -= 1,
                Ordering::Less => state += 1,
            }
        }
    }
}
