//! Maximal end components, by depth-first searches that skip the choices that leave.
//!
//! The search is like that of [`super::pearce`], but goes choice by choice. If a choice has a
//! target in a closed component, or a target that is a state without choices, the choice leaves the
//! component of its own state. The search skips such choices, as if they did not exist. When the
//! search closes states, there are three cases. They are a MEC; or a state that lost all its
//! choices; or they are in *doubt*, because the search came to some of them by a choice that turned
//! out later to leave. States in doubt are searched again, while all other states stay closed. The
//! new search skips the choices that are now known to leave.
//!
//! ```text
//! visit(v):   index[v] = next++
//!             for each choice of v:
//!                 for each branch -> w:  if index[w] = 0, and no other target is closed: visit(w)
//!                                        if w is closed: the choice leaves
//!                 if it stays:           low = min(low, index of the targets)
//!                 else if it led to a child that is open:
//!                                        low likewise; v is in doubt
//! leave(v):   if no choice stayed:       v is closed, and in no MEC;
//!                                        the parent takes over the low link of v's open children
//!             else if low < index[v]:    index[v] = low; push v
//!             if low >= index[v]:        pop all w with index[w] >= index[v]; these and v are
//!                                        a MEC, or to be searched again if one is in doubt
//! mecs:       visit all states; while something is in doubt: forget its indices and visit it
//! ```
//!
//! `docs/algorithms.md` says why this is right. A choice that caused a doubt leads to a state that
//! is closed before the next search, so the next search skips this choice. Thus each search removes
//! at least one choice. The time of a search is proportional to the part that it searches,
//! including the choices that leave.

mod again;
mod shared;

use super::edges::GraphRows;
use super::steps;
use super::strategy::SharedLimits;
use super::ticker::Ticker;
use crate::Error;
use bytemuck::{Pod, Zeroable};
use mdp_graph::{BitSet, Components, MdpGraph, Stack, StateId, Table};
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

pub(super) const UNVISITED: u32 = 0;

/// Repeated searches may visit this many times the size of the graph before searches in lockstep
/// take over.
pub(super) const PATIENCE: usize = 2;

/// No state is reached. Larger than every index.
const NOTHING: u32 = u32::MAX;

/// A state whose visit has begun.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Frame {
    state: u32,
    /// The next branch to visit.
    next: u32,
    /// The end of the state's branches.
    end: u32,
    /// The first branch for which it is not known whether its choice leaves.
    settled: u32,
    /// The earliest open state to which settled choices that stay lead.
    low: u32,
    /// The earliest open state to which the branches from `settled` to `next` lead.
    unsettled_low: u32,
    /// The branch after the last branch that led to a child that is still open.
    after_child: u32,
}

/// The memory of a path, per state that may be on it.
pub(super) const PATH_BYTES: usize = size_of::<Frame>();

/// A state that is connected by a choice that leaves.
struct Doubt {
    index: u32,
    /// The earliest state that this choice reached.
    low: u32,
}

/// Returns the set of branches that are the first of their choices, and the end of all branches.
pub(super) fn starts(graph: &MdpGraph) -> BitSet {
    BitSet::of_ascending(graph.num_branches() + 1, graph.branch_offsets())
}

/// The data that searches of disjoint regions share.
#[derive(Clone, Copy)]
pub(super) struct Model<'a> {
    pub(super) rows: &'a [u32],
    pub(super) targets: &'a [u32],
    pub(super) starts: &'a BitSet,
    /// The number of each state. For a state of the region: `Region::unvisited` while it is
    /// unvisited; the index of the earliest open state that it is known to reach, while it is open;
    /// and then its MEC or [`Components::NONE`]. States of other regions have numbers outside these
    /// ranges.
    pub(super) index: &'a [AtomicU32],
}

impl<'a> Model<'a> {
    pub(super) fn new(rows: GraphRows<'a>, starts: &'a BitSet, index: &'a mut Table<u32>) -> Self {
        Self {
            rows: rows.rows,
            targets: StateId::as_numbers(rows.graph.all_targets()),
            starts,
            index: index.as_atomics(),
        }
    }
}

/// The numbers that states of a region may have.
#[derive(Clone, Copy)]
pub(super) struct Region {
    /// The number of unvisited states.
    pub(super) unvisited: u32,
    /// The count of numbers for open states, which follow `unvisited`.
    pub(super) span: u32,
    /// The number of the next MEC; later ones have smaller numbers.
    pub(super) next_mec: u32,
}

impl Region {
    /// Returns a single region of all states that are not closed. All closed states have numbers
    /// above `next_mec`.
    pub(super) fn all(next_mec: u32) -> Self {
        Self {
            unvisited: UNVISITED,
            span: next_mec,
            next_mec,
        }
    }

    /// Returns a region whose states have numbers below another one for MECs, too.
    pub(super) fn below(self, next_mec: u32) -> Self {
        Self {
            span: next_mec,
            ..self
        }
    }
}

/// Parts that are in doubt.
#[derive(Default)]
pub(super) struct Doubtful {
    /// The states, part by part, and the ends of the parts.
    pub(super) states: Vec<u32>,
    pub(super) ends: Vec<usize>,
}

impl Doubtful {
    pub(super) fn push(&mut self, part: &[u32]) {
        self.states.extend_from_slice(part);
        self.ends.push(self.states.len());
    }

    /// Takes the last part. Returns whether there was one.
    fn pop(&mut self, part: &mut Vec<u32>) -> bool {
        let Some(end) = self.ends.pop() else {
            return false;
        };
        debug_assert_eq!(end, self.states.len(), "the last part is at the end");
        let start = self.ends.last().copied().unwrap_or(0);
        part.clear();
        part.extend(self.states.drain(start..));
        true
    }

    /// Returns whether several threads take less time to search the parts than one: there are many
    /// states, and most of them are not in one part.
    pub(super) fn are_many(&self, limits: SharedLimits) -> bool {
        let starts = std::iter::once(&0).chain(&self.ends);
        let sizes = self.ends.iter().zip(starts).map(|(end, start)| end - start);
        let all = self.states.len();
        all >= limits.states && sizes.max().is_some_and(|largest| largest <= all / 2)
    }

    /// Returns the parts of all of these.
    pub(super) fn joined(all: Vec<Self>) -> Self {
        let mut joined = Self::default();
        for parts in all {
            let before = joined.states.len();
            joined.states.extend(parts.states);
            joined
                .ends
                .extend(parts.ends.iter().map(|end| before + end));
        }
        joined
    }
}

/// The numbers of the open states of one thread.
#[derive(Clone, Copy)]
struct Share {
    /// The first of them, and their count.
    first: u32,
    span: u32,
    /// Whether the search came to an open state of another thread, or has no number left.
    is_held: bool,
    is_full: bool,
    num_released: usize,
}

impl Share {
    /// Returns all numbers of a region.
    fn all(region: Region) -> Self {
        Self::new(region.unvisited + 1, region.span)
    }

    fn new(first: u32, span: u32) -> Self {
        Self {
            first,
            span,
            is_held: false,
            is_full: false,
            num_released: 0,
        }
    }
}

/// The search of a region. States of other regions count as closed. If the region is `SHARED`,
/// several threads search it at the same time ([`shared`]).
pub(super) struct MecSearch<'a, const SHARED: bool = false> {
    model: Model<'a>,
    pub(super) region: Region,
    share: Share,
    next_index: u32,
    path: Stack<'a, Frame>,
    /// The states whose visits have ended but that are not closed.
    open: Stack<'a, u32>,
    /// The doubts about open states. Those about a component that closes come last.
    doubts: Vec<Doubt>,
    /// The parts that must be searched again.
    pub(super) doubtful: Doubtful,
    /// The states that lost a choice that had led to a child, if the caller asks for them.
    pub(super) lost: Option<Vec<u32>>,
    /// The number of states with a final answer, including those of other regions.
    pub(super) num_closed: usize,
}

impl<'a> MecSearch<'a> {
    /// `path` and `open` have room for all states of the region.
    pub(super) fn new(
        model: Model<'a>,
        region: Region,
        path: &'a mut [Frame],
        open: &'a mut [u32],
    ) -> Self {
        Self::with_share(model, region, Share::all(region), path, open)
    }
}

impl<'a, const SHARED: bool> MecSearch<'a, SHARED> {
    fn with_share(
        model: Model<'a>,
        region: Region,
        share: Share,
        path: &'a mut [Frame],
        open: &'a mut [u32],
    ) -> Self {
        Self {
            model,
            region,
            share,
            next_index: share.first,
            path: Stack::new(path),
            open: Stack::new(open),
            doubts: Vec::new(),
            doubtful: Doubtful::default(),
            lost: None,
            num_closed: 0,
        }
    }
}

impl<const SHARED: bool> MecSearch<'_, SHARED> {
    /// Visits `root` and all unvisited states that it reaches.
    fn from(&mut self, root: u32, ticker: &mut Ticker<'_>) -> Result<(), Error> {
        if !self.is_unvisited(root) || self.claim(root).is_none() {
            return Ok(());
        }
        ticker.tick(|| self.num_closed)?;
        let mut frame = self.enter(root);
        loop {
            let child = self.scan(&mut frame);
            if SHARED && self.share.is_held {
                self.release(frame);
                return Ok(());
            }
            if let Some(child) = child {
                ticker.tick(|| self.num_closed)?;
                self.path.push(frame);
                frame = self.enter(child);
                continue;
            }
            let leaving_low = self.leave(&frame);
            let child = frame.state;
            let Some(parent) = self.path.pop() else {
                return Ok(());
            };
            frame = parent;
            self.resume(&mut frame, child, leaving_low);
        }
    }

    #[inline]
    fn get(&self, state: u32) -> u32 {
        self.model.index[state as usize].load(Relaxed)
    }

    #[inline]
    fn set(&self, state: u32, index: u32) {
        self.model.index[state as usize].store(index, Relaxed);
    }

    #[inline]
    fn is_closed(&self, state: u32) -> bool {
        let index = self.get(state);
        index.wrapping_sub(self.region.unvisited) > self.region.span
    }

    #[inline]
    fn is_open(&self, index: u32) -> bool {
        // One comparison is enough: the number for unvisited states becomes the largest.
        match SHARED {
            true => index.wrapping_sub(self.share.first) < self.share.span,
            false => index.wrapping_sub(self.region.unvisited + 1) < self.region.span,
        }
    }

    #[inline]
    fn enter(&mut self, state: u32) -> Frame {
        self.set(state, self.next_index);
        self.next_index += 1;
        let first = self.model.rows[state as usize];
        Frame {
            state,
            next: first,
            end: self.model.rows[state as usize + 1],
            settled: first,
            low: NOTHING,
            unsettled_low: NOTHING,
            after_child: 0,
        }
    }

    /// Visits the frame's branches. Stops at the first child that must be visited, and returns it.
    #[inline]
    fn scan(&mut self, frame: &mut Frame) -> Option<u32> {
        while frame.next < frame.end {
            // While branches lead to open states, as most do, it does not matter where choices end,
            // and the processor can handle many branches at once.
            let (stop, low) = self.run_of_open(frame.next, frame.end);
            frame.unsettled_low = frame.unsettled_low.min(low);
            frame.next = stop;
            if stop == frame.end {
                break;
            }
            let target = self.model.targets[stop as usize];
            if self.may_be_visited(target) && !self.leaves_later(frame) {
                return self.claim(target);
            }
            self.skip_choice(frame);
        }
        frame.low = frame.low.min(frame.unsettled_low);
        None
    }

    /// Returns the first branch of `next..end` that does not lead to an open state, and the
    /// smallest index before it.
    #[inline]
    fn run_of_open(&self, next: u32, end: u32) -> (u32, u32) {
        let mut low = NOTHING;
        for branch in next..end {
            let index = self.get(self.model.targets[branch as usize]);
            if !self.is_open(index) {
                steps::count(branch + 1 - next);
                return (branch, low);
            }
            low = low.min(index);
        }
        steps::count(end - next);
        (end, low)
    }

    /// Returns whether the choice of the frame's next branch, which leads to an unvisited state,
    /// leaves by a later branch. This test is not repeated once the choice has led to a child. So
    /// it visits each branch once, however many branches lead to unvisited states.
    #[inline]
    fn leaves_later(&self, frame: &Frame) -> bool {
        if self.num_closed == 0 || self.has_open_child(frame) {
            return false;
        }
        let rest = frame.next as usize + 1..self.end_of_choice(frame.next) as usize;
        steps::count(rest.len() as u32);
        let mut rest = self.model.targets[rest].iter();
        rest.any(|&target| self.is_closed(target))
    }

    /// Returns whether the choice of the frame's next branch led to a child that is still open. The
    /// search for the first branch of the choice goes back no farther than that child. So the
    /// lengths of all these searches add up to at most the width of the choice.
    #[inline]
    fn has_open_child(&self, frame: &Frame) -> bool {
        frame.after_child > frame.settled
            && self.start_of_choice(frame.next, frame.after_child) == frame.after_child
            && !self.model.starts.contains(frame.after_child as usize)
    }

    /// Skips the choice of the frame's next branch, which leaves. The choices before it stay:
    /// all their targets are open, and close no earlier than this state.
    #[inline]
    fn skip_choice(&mut self, frame: &mut Frame) {
        let stop = frame.next;
        let start = self.start_of_choice(stop, frame.settled);
        if start == stop {
            frame.low = frame.low.min(frame.unsettled_low);
        } else {
            if start > frame.settled {
                let (_, low) = self.run_of_open(frame.settled, start);
                frame.low = frame.low.min(low);
            }
            if frame.after_child > start {
                let (_, low) = self.run_of_open(start, stop);
                self.doubt(frame.state, low);
            }
        }
        frame.unsettled_low = NOTHING;
        frame.next = self.end_of_choice(stop);
        frame.settled = frame.next;
    }

    /// Returns where the choice of `branch` starts, or `floor` if that comes later.
    #[inline]
    fn start_of_choice(&self, branch: u32, floor: u32) -> u32 {
        let mut start = branch;
        while start > floor && !self.model.starts.contains(start as usize) {
            start -= 1;
        }
        steps::count(branch - start);
        start
    }

    /// Returns the branch after the last one of the choice of `branch`. Most choices are narrow: a
    /// loop, whose length the processor guesses, lets it go on sooner than a count of bits would.
    #[inline]
    pub(super) fn end_of_choice(&self, branch: u32) -> u32 {
        let mut end = branch + 1;
        while !self.model.starts.contains(end as usize) {
            end += 1;
        }
        steps::count(end - branch);
        end
    }

    /// Goes on with a frame after the visit of its next branch's target.
    #[inline]
    fn resume(&mut self, frame: &mut Frame, child: u32, leaving_low: u32) {
        let index = self.get(child);
        if self.is_open(index) {
            frame.unsettled_low = frame.unsettled_low.min(index);
            frame.next += 1;
            frame.after_child = frame.next;
        } else {
            if leaving_low != NOTHING {
                self.doubt(frame.state, leaving_low);
            }
            self.skip_choice(frame);
        }
    }

    /// Although the choice leaves, the child to which it led counts for the low link. Otherwise the
    /// child would be closed separately from the state.
    #[cold]
    fn doubt(&mut self, state: u32, low: u32) {
        let index = self.get(state);
        self.doubts.push(Doubt { index, low });
        if let Some(lost) = &mut self.lost {
            lost.push(state);
        }
    }

    /// Ends the visit of a state, which closes or stays open. If it closes without its open
    /// children, returns their low link.
    #[inline]
    fn leave(&mut self, frame: &Frame) -> u32 {
        let own = self.get(frame.state);
        let (doubtful, leaving_low) = self.doubts_from(own);
        let low = frame.low.min(leaving_low);
        let stays = frame.low != NOTHING;
        if stays {
            self.set(frame.state, low.min(own));
            self.open.push(frame.state);
        } else {
            self.set(frame.state, Components::NONE);
            self.num_closed += 1;
        }
        if low >= own {
            self.close(frame.state, own, doubtful);
            return NOTHING;
        }
        if doubtful {
            self.doubts.push(Doubt { index: own, low });
        }
        if stays { NOTHING } else { low }
    }

    /// Removes the doubts about open states with at least this index. Returns whether there were
    /// any, and the earliest state that the state with this index reaches by choices that leave.
    #[inline]
    fn doubts_from(&mut self, own: u32) -> (bool, u32) {
        let (mut doubtful, mut leaving_low) = (false, NOTHING);
        while let Some(doubt) = self.doubts.pop_if(|doubt| doubt.index >= own) {
            steps::count(1);
            doubtful = true;
            if doubt.index == own {
                leaving_low = leaving_low.min(doubt.low);
            }
        }
        (doubtful, leaving_low)
    }

    /// Closes the open states with at least this index, which is that of `state`.
    #[inline]
    fn close(&mut self, state: u32, first: u32, doubtful: bool) {
        self.next_index = first;
        let mark = match (doubtful, SHARED) {
            (true, _) => Components::NONE,
            (false, true) => self.region.next_mec - state,
            (false, false) => self.region.next_mec,
        };
        let index = self.model.index;
        let members = self.open.pop_while(|state| {
            let member = index[state as usize].load(Relaxed) >= first;
            if member {
                index[state as usize].store(mark, Relaxed);
            }
            member
        });
        if members.is_empty() {
            return;
        }
        steps::count(members.len() as u32);
        if doubtful {
            self.doubtful.push(members);
        } else {
            self.num_closed += members.len();
            if !SHARED {
                let region = &mut self.region;
                region.next_mec -= 1;
                region.span = region.span.min(region.next_mec - region.unvisited);
            }
        }
    }
}

/// Queries of the searches in lockstep.
impl<const SHARED: bool> MecSearch<'_, SHARED> {
    pub(super) fn is_unvisited(&self, state: u32) -> bool {
        self.get(state) == self.region.unvisited
    }

    /// Returns the first branch of a state, and the one after its last.
    pub(super) fn row(&self, state: u32) -> (u32, u32) {
        (
            self.model.rows[state as usize],
            self.model.rows[state as usize + 1],
        )
    }

    pub(super) fn branches_of(&self, state: u32) -> usize {
        let (start, end) = self.row(state);
        (end - start) as usize
    }

    pub(super) fn targets_of(&self, branches: Range<u32>) -> &[u32] {
        &self.model.targets[branches.start as usize..branches.end as usize]
    }

    pub(super) fn leads_to_closed(&self, branch: u32) -> bool {
        self.is_closed(self.model.targets[branch as usize])
    }

    /// Returns whether a branch is the first of its choice, or the end of all branches.
    pub(super) fn starts_choice(&self, branch: u32) -> bool {
        self.model.starts.contains(branch as usize)
    }
}
