//! One round of the parallel search for SCCs. All threads search depth-first at the same time. Each
//! thread *claims* the states that it visits; these states are its *cell*. The cells together are
//! the whole graph.
//!
//! A thread searches its cell as [`super::pearce`] does. If an edge leads to a state that another
//! thread has claimed and not finished, the component of this state is not known yet. The state is
//! then *pending* for all states that reach it. So there are two kinds of components of a cell:
//!
//! - *decided*: no pending state is reached, so the component of the cell is one of the graph;
//! - *undecided*: its states are in one component of the graph, but that may be larger. It becomes
//!   a *group*.
//!
//! If all edges that leave a group lead to the same pending state, the groups that lead to this
//! group take it over. So long paths, trees and diamonds point directly to their ends.
//! [`super::quotient`] handles the groups that are left.

use super::edges::AllEdges;
use super::interleave;
use super::marks::{DECIDED, NONE_PENDING, SEVERAL_PENDING, Shared, UNDECIDED, UNVISITED};
use super::strategy::RoundThreads;
use super::ticker::Watch;
use crate::Error;
use std::ops::Range;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize};

/// The number of states that a thread takes as roots at a time.
const BLOCK: usize = 1 << 10;

/// A round is given up if more than one in this many finished states names a group that the next
/// round has to search.
const MAX_NODES: u64 = 2;

/// This decision is made once one in this many states is finished.
const SAMPLE: u64 = 32;

/// The data that all threads share in a round.
struct Round<'a> {
    edges: AllEdges<'a>,
    marks: Shared<'a>,
    watch: &'a Watch<'a>,
    /// The number of states that a thread takes as roots at a time, and the number of such blocks
    /// taken so far.
    block: usize,
    blocks: AtomicUsize,
    /// After this many visits, a thread updates the shared counters.
    period: u32,
    stop: AtomicBool,
    crowded: AtomicBool,
    /// The number of states that are decided or in groups, and the number of groups that are left
    /// for the next round.
    num_finished: AtomicU64,
    num_nodes: AtomicU64,
}

/// The end of a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// All states are decided or undecided.
    Done,
    /// The round was given up because it decided too little: the threads kept meeting each other's
    /// open states.
    Crowded,
}

/// Searches all states without a mark, on these threads.
pub(super) fn search(
    edges: AllEdges<'_>,
    marks: Shared<'_>,
    by: RoundThreads,
    watch: &Watch<'_>,
) -> Result<Outcome, Error> {
    let round = Round::new(edges, marks, by, watch);
    mdp_graph::on_threads(by.threads, |number| Cell::new(&round, number).search());
    watch.check()?;
    tracing::debug!(nodes = ?round.num_nodes, finished = ?round.num_finished, "cells are searched");
    Ok(round.outcome())
}

impl<'a> Round<'a> {
    fn new(edges: AllEdges<'a>, marks: Shared<'a>, by: RoundThreads, watch: &'a Watch<'a>) -> Self {
        Self {
            edges,
            marks,
            watch,
            block: (edges.num_states() / (16 * by.threads)).clamp(1, BLOCK),
            blocks: AtomicUsize::new(0),
            period: by.period,
            stop: AtomicBool::new(false),
            crowded: AtomicBool::new(false),
            num_finished: AtomicU64::new(0),
            num_nodes: AtomicU64::new(0),
        }
    }

    /// Takes the next block of roots, beginning with the last states of the graph.
    fn take_block(&self) -> Option<Range<u32>> {
        let last = self.edges.num_states();
        let taken = self.blocks.fetch_add(1, Relaxed) * self.block;
        let last = last.checked_sub(taken).filter(|&last| last > 0)?;
        Some(last.saturating_sub(self.block) as u32..last as u32)
    }

    fn outcome(&self) -> Outcome {
        match self.crowded.load(Relaxed) {
            true => Outcome::Crowded,
            false => Outcome::Done,
        }
    }
}

/// The memory per state for the paths and open states of all threads. Vectors may have twice the
/// capacity that they need.
pub(super) const PATH_BYTES: usize = 2 * (size_of::<Frame>() + size_of::<u32>());

/// A state whose visit has begun.
#[derive(Clone, Copy)]
struct Frame {
    state: u32,
    /// The next edge to visit, and the end of the row.
    next: u32,
    end: u32,
    /// The smallest index among the open states of the cell that the state is known to reach.
    low: u32,
    pending: u32,
}

/// The search of one thread.
struct Cell<'a> {
    round: &'a Round<'a>,
    /// The first index of the cell, and the number of indices that it may use.
    base: u32,
    span: u32,
    next_index: u32,
    path: Vec<Frame>,
    /// The states whose visits have ended but whose components are open.
    open: Vec<u32>,
    visits: u32,
    decided: usize,
    grouped: usize,
    nodes: u64,
}

impl<'a> Cell<'a> {
    fn new(round: &'a Round<'a>, number: usize) -> Self {
        let span = (round.edges.num_states() + 1) as u32;
        let base = 1 + number as u32 * span;
        Self {
            round,
            base,
            span,
            next_index: base,
            path: Vec::new(),
            open: Vec::new(),
            visits: 0,
            decided: 0,
            grouped: 0,
            nodes: 0,
        }
    }

    /// Searches from all roots, block by block.
    fn search(&mut self) {
        while let Some(roots) = self.round.take_block() {
            for root in roots.rev() {
                let Some(mut frame) = self.begin(root) else {
                    continue;
                };
                while self.step(&mut frame) {}
                if self.round.stop.load(Relaxed) {
                    return;
                }
            }
        }
        self.report();
    }

    /// Updates the shared counters.
    #[cold]
    fn report(&mut self) {
        let round = self.round;
        let add = |sum: &AtomicU64, own: u64| sum.fetch_add(own, Relaxed) + own;
        let own = (self.decided + std::mem::take(&mut self.grouped)) as u64;
        let finished = add(&round.num_finished, own);
        let nodes = add(&round.num_nodes, std::mem::take(&mut self.nodes));
        round.watch.add(std::mem::take(&mut self.decided));
        if round.watch.is_cancelled() {
            round.stop.store(true, Relaxed);
        }
        let is_sample = finished > round.edges.num_states() as u64 / SAMPLE;
        if is_sample && round.period < u32::MAX && nodes > finished / MAX_NODES {
            round.crowded.store(true, Relaxed);
            round.stop.store(true, Relaxed);
        }
    }

    /// Begins a search from a state, unless a thread has claimed the state.
    #[inline]
    fn begin(&mut self, root: u32) -> Option<Frame> {
        self.claim(root).then(|| self.enter(root))
    }

    /// Moves down to a child, or back up to the parent. Returns whether the search continues.
    #[inline(always)]
    fn step(&mut self, frame: &mut Frame) -> bool {
        if let Some(child) = self.scan(frame) {
            self.path.push(*frame);
            *frame = self.enter(child);
            self.visits += 1;
            if self.visits == self.round.period {
                self.visits = 0;
                self.report();
                return !self.round.stop.load(Relaxed);
            }
            return true;
        }
        let (low, pending) = self.leave(*frame);
        let Some(parent) = self.path.pop() else {
            return false;
        };
        *frame = parent;
        frame.low = frame.low.min(low);
        frame.pending = self.round.marks.join(frame.pending, pending);
        true
    }

    /// Claims a state. Returns false if another thread has claimed it.
    #[inline]
    fn claim(&mut self, state: u32) -> bool {
        let word = &self.round.marks.words[state as usize];
        interleave::pause();
        word.load(Relaxed) == UNVISITED
            && word
                .compare_exchange(UNVISITED, self.next_index, AcqRel, Relaxed)
                .is_ok()
    }

    /// Begins the visit of a claimed state.
    #[inline]
    fn enter(&mut self, state: u32) -> Frame {
        let low = self.next_index;
        self.next_index += 1;
        let rows = self.round.edges.rows;
        let (next, end) = (rows[state as usize], rows[state as usize + 1]);
        Frame {
            state,
            next,
            end,
            low,
            pending: NONE_PENDING,
        }
    }

    /// Visits the edges of the frame. Stops at the first target that this thread could claim, and
    /// returns it.
    #[inline]
    fn scan(&mut self, frame: &mut Frame) -> Option<u32> {
        let (targets, marks) = (self.round.edges.targets, self.round.marks);
        while frame.next < frame.end {
            let target = targets[frame.next as usize];
            frame.next += 1;
            interleave::pause();
            let mut word = marks.words[target as usize].load(Acquire);
            if word == UNVISITED {
                if self.claim(target) {
                    return Some(target);
                }
                word = marks.words[target as usize].load(Acquire);
            }
            if word.wrapping_sub(self.base) < self.span {
                frame.low = frame.low.min(word);
            } else if word < DECIDED {
                let pending = marks.follow(target);
                frame.pending = marks.join(frame.pending, pending);
            }
        }
        None
    }

    /// Ends the visit of a state. Its component of the cell is then complete, or stays open.
    /// Returns two values for the parent: the index of the earliest open state that was reached,
    /// and the pending state.
    #[inline]
    fn leave(&mut self, frame: Frame) -> (u32, u32) {
        let marks = self.round.marks;
        let word = &marks.words[frame.state as usize];
        let own = word.load(Relaxed);
        if frame.low < own {
            word.store(frame.low, Relaxed);
            self.open.push(frame.state);
            return (frame.low, frame.pending);
        }
        let members = self.open.iter().rev();
        let is_member = |state: &&u32| marks.words[**state as usize].load(Relaxed) >= own;
        let first = self.open.len() - members.take_while(is_member).count();
        self.next_index = own;
        let pending = match frame.pending {
            NONE_PENDING => self.decide(frame.state, first),
            pending => self.group(frame.state, first, own, pending),
        };
        self.open.truncate(first);
        (u32::MAX, pending)
    }

    #[inline]
    fn decide(&mut self, root: u32, first: usize) -> u32 {
        let marks = self.round.marks;
        for &member in &self.open[first..] {
            interleave::pause();
            marks.words[member as usize].store(DECIDED + root, Release);
        }
        interleave::pause();
        marks.words[root as usize].store(DECIDED + root, Release);
        self.decided += self.open.len() - first + 1;
        NONE_PENDING
    }

    /// Makes a group of a component that has a pending state, unless that has been decided in the
    /// meantime.
    #[cold]
    fn group(&mut self, root: u32, first: usize, own: u32, pending: u32) -> u32 {
        let marks = self.round.marks;
        let is_own = |state: u32| {
            let word = marks.words[state as usize].load(Relaxed);
            (own..self.base + self.span).contains(&word)
        };
        let pending = match pending {
            SEVERAL_PENDING => SEVERAL_PENDING,
            pending => match marks.follow(pending) {
                NONE_PENDING => return self.decide(root, first),
                // The pending state is in the component itself, and other groups lead back to it.
                pending if is_own(pending) => NONE_PENDING,
                pending => pending,
            },
        };
        interleave::pause();
        marks.pending[root as usize].store(pending, Relaxed);
        let members = &self.open[first..];
        self.grouped += members.len() + 1;
        self.nodes += u64::from(pending >= SEVERAL_PENDING);
        let mut last = root;
        for &member in members {
            marks.rings[last as usize].store(member, Relaxed);
            last = member;
        }
        marks.rings[last as usize].store(root, Relaxed);
        for &member in members {
            interleave::pause();
            marks.words[member as usize].store(UNDECIDED + root, Release);
        }
        interleave::pause();
        marks.words[root as usize].store(UNDECIDED + root, Release);
        match pending {
            SEVERAL_PENDING | NONE_PENDING => root,
            pending => pending,
        }
    }
}

#[cfg(test)]
mod tests;
