//! Runs: states numbered one after another, upward or downward, each of which leads to the next one
//! alone.
//!
//! A search visits a run as a whole. Its states have successive visit indices, nothing is left to
//! look at when the search comes back to them, and the path has one frame for all of them.

use super::super::steps;
use super::super::ticker::{PERIOD, Ticker};
use super::ahead::UNVISITED;
use super::{Frame, Search};
use crate::Error;
use mdp_graph::{Index, Stack};
use std::cmp::Ordering;

/// The next branch of a frame that stands for a run. No branch has that number.
const RUN: u32 = u32::MAX;

impl Frame {
    /// The frame of a run.
    fn of_run(first: u32, last: u32) -> Self {
        Self {
            state: first,
            next: RUN,
            low: last,
        }
    }

    pub(super) fn is_run(self) -> bool {
        self.next == RUN
    }

    /// The first state and the last one, if this is the frame of a run.
    fn ends(self) -> (u32, u32) {
        match self.is_run() {
            true => (self.state, self.low),
            false => (self.state, self.state),
        }
    }

    /// The states that the frame stands for.
    pub(super) fn states(self) -> impl Iterator<Item = u32> {
        let (first, last) = self.ends();
        first.min(last)..=first.max(last)
    }
}

impl<I: Index> Search<'_, I> {
    /// Whether a state, whose visit has begun, leads to this child alone, which is next to it.
    #[inline(always)]
    pub(super) fn is_start_of_run(&self, frame: Frame, child: u32) -> bool {
        frame.state.abs_diff(child) == 1 && self.degree(frame.state) == 1
    }

    #[inline(always)]
    fn degree(&self, state: u32) -> usize {
        self.rows[state as usize + 1].place() - self.rows[state as usize].place()
    }

    /// Visits unvisited states from `next` on, as long as each leads to the next one alone. The run
    /// begins with the state before them. Returns the frame of the first state that is no part of
    /// it. A run has so many states at most that the observer may be asked after each.
    ///
    /// # Errors
    /// If the observer wants the search to end.
    pub(super) fn follow_run(
        &mut self,
        first: u32,
        mut next: u32,
        path: &mut Stack<'_, Frame>,
        ticker: &Ticker<'_>,
    ) -> Result<Frame, Error> {
        let step = next.wrapping_sub(first);
        let (rows, targets, index) = (self.rows, self.targets, &mut *self.index);
        let (mut last, mut number) = (first, self.next_index);
        // The state that follows is computed, not read, so that reads need not wait for each other.
        for _ in 0..PERIOD {
            let (begin, end) = (rows[next as usize].place(), rows[next as usize + 1].place());
            let after = next.wrapping_add(step);
            if end - begin != 1
                || targets[begin].place() != after as usize
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
        Ok(self.enter(next))
    }

    /// Ends the visits of the states of a run. `low` is what the last one learns from the state
    /// that it leads to; what is returned is what the parent of the first one learns.
    pub(super) fn leave_run(&mut self, run: Frame, mut low: u32) -> u32 {
        let (first, last) = run.ends();
        if low < self.index[first as usize] {
            // All of them lead to a state before the run, and stay open.
            for state in run.states() {
                self.index[state as usize] = low;
                self.open.push(state);
            }
            return low;
        }
        let mut state = last;
        loop {
            low = self.leave(Frame {
                state,
                next: RUN,
                low,
            });
            match state.cmp(&first) {
                Ordering::Equal => return low,
                Ordering::Greater => state -= 1,
                Ordering::Less => state += 1,
            }
        }
    }
}
