//! Finds single states that can be placed, by parallel depth-first searches. They are used if
//! sweeps make slow progress because long paths run against the numbers of states.
//!
//! ```text
//! visit(state):  visit each target that is not visited yet
//!                if each choice that does not stay has a placed target: place the state,
//!                    before these
//! ```
//!
//! All threads search at the same time. The thread that reaches a state first visits it. So a state
//! may not be placed, because a target waits for another thread, or is on the path; then the states
//! that lead to it may not be placed either. If few states are on cycles, and paths are short
//! compared with the model, there are few such states, and one thread visits them again. Otherwise
//! this search is given up soon.

use super::answer::Answer;
use super::marks::{FIRST, UNVISITED, UNVISITED_MEMBER, VISITED};
use super::rows::{Ends, Rows};
use crate::observer::Ticker;
use mdp_graph::StateId;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering::Relaxed};

/// Another round pays if one leaves at most this part of its states behind.
const SHARE: usize = 2;

/// A round is in vain if it places less than this part of what it visits.
const FEW: usize = 4;

/// How often a thread comes back for more states, if all are equally fast.
const PIECES: usize = 16;

pub(super) struct ParallelSearch<'a> {
    pub(super) answer: Answer<'a>,
    pub(super) rows: Rows<'a>,
    pub(super) ends: &'a Ends,
    /// For each state its position and [`FIRST`], or what else is known of it.
    pub(super) marks: &'a [AtomicU32],
    /// The last mark that is free; so are as many before it as states are not placed.
    pub(super) last: u32,
    /// A round is given up if it is in vain when a thread has left this many states behind.
    pub(super) patience: usize,
}

/// What a round, or a thread's part of it, comes to.
#[derive(Default)]
struct Round {
    placed: usize,
    /// The states that were visited and not placed.
    behind: Vec<StateId>,
    is_given_up: bool,
}

impl Round {
    fn is_in_vain(&self) -> bool {
        FEW * self.placed < self.placed + self.behind.len()
    }

    fn and(mut self, other: Self) -> Self {
        self.placed += other.placed;
        self.behind.extend(other.behind);
        self.is_given_up |= other.is_given_up;
        self
    }
}

impl ParallelSearch<'_> {
    /// Places what searches find, and returns how many states that are.
    pub(super) fn run(&self) -> usize {
        let states = self.marks.len();
        let from_last = |i| StateId::from_index(states - 1 - i);
        let pieces = Pieces::new(states, rayon::current_num_threads());
        let parts = rayon::broadcast(|_| self.visit_pieces(&pieces, from_last));
        let mut round = self.end(parts);
        let mut placed = round.placed;
        let mut pays = !round.is_in_vain();
        while pays && !round.behind.is_empty() {
            // By one thread, so that none waits for another.
            let behind = round.behind;
            let pieces = Pieces::new(behind.len(), 1);
            round = self.end(vec![self.visit_pieces(&pieces, |i| behind[i])]);
            placed += round.placed;
            pays = !round.is_given_up && round.behind.len() <= behind.len() / SHARE;
        }
        placed
    }

    /// Visits a thread's pieces of what is to be visited, and what these states lead to.
    fn visit_pieces(&self, pieces: &Pieces, root: impl Fn(usize) -> StateId) -> Round {
        let mut search = Search::new(self);
        while let Some(piece) = pieces.take() {
            for i in piece {
                search.visit(root(i));
                if search.round.is_given_up {
                    pieces.take_all();
                    return search.round;
                }
            }
        }
        search.round
    }

    /// What a round comes to. Visits in vain are forgotten.
    fn end(&self, parts: Vec<Round>) -> Round {
        let round = parts.into_iter().fold(Round::default(), Round::and);
        round.behind.par_iter().for_each(|&state| {
            let component = self.answer.components.component(state);
            let unvisited = component.map_or(UNVISITED, |_| UNVISITED_MEMBER);
            self.marks[state.index()].store(unvisited, Relaxed);
        });
        round
    }

    /// Begins the visit of a state, unless a thread has visited it, or it is in a component with
    /// other states.
    #[inline]
    fn claim(&self, state: StateId) -> bool {
        let mark = &self.marks[state.index()];
        let begin = |unvisited| {
            let swapped = mark.compare_exchange(unvisited, VISITED, Relaxed, Relaxed);
            swapped.is_ok()
        };
        match mark.load(Relaxed) {
            UNVISITED => begin(UNVISITED),
            UNVISITED_MEMBER => self.is_alone(state) && begin(UNVISITED_MEMBER),
            _ => false,
        }
    }

    #[cold]
    fn is_alone(&self, state: StateId) -> bool {
        let components = self.answer.components;
        let component = components.component(state);
        component.is_some_and(|id| components.size(id) == 1)
    }

    /// The last mark at which a state may be, or 0 if a choice has no placed target.
    #[inline]
    fn mark(&self, state: StateId) -> u32 {
        let row = self.rows.row(state);
        let (mut mark, mut next) = (self.last, row.start);
        while next < row.end {
            let choice = self.ends.choice(next);
            next = choice.end;
            mark = mark.min(self.mark_before(state, self.rows.targets(choice)));
        }
        match mark {
            0 => self.mark_of_component(state),
            _ => mark,
        }
    }

    /// The same, for a component of one state.
    #[cold]
    fn mark_of_component(&self, state: StateId) -> u32 {
        let Answer {
            graph, components, ..
        } = self.answer;
        let choices = graph.choices(state).map(|choice| graph.targets(choice));
        let leaving = choices.clone().filter(|&targets| targets != [state]);
        let marks = leaving.map(|targets| self.mark_before(state, targets));
        // Without a choice that stays it is none.
        let stays = components.component(state).is_some()
            && choices.clone().any(|targets| targets == [state]);
        if stays {
            marks.fold(self.last, u32::min)
        } else {
            0
        }
    }

    /// The last mark before that of a target, or 0 if none is placed.
    #[inline]
    fn mark_before(&self, state: StateId, targets: &[StateId]) -> u32 {
        let marks = targets.iter().map(|&target| {
            let mark = self.marks[target.index()].load(Relaxed);
            match mark {
                FIRST.. => mark - u32::from(target < state),
                _ => 0,
            }
        });
        marks.max().unwrap_or(0)
    }
}

/// What is to be visited, in pieces that threads take: far from each other, so that their searches
/// seldom meet.
struct Pieces {
    count: usize,
    threads: usize,
    next: AtomicUsize,
}

impl Pieces {
    fn new(count: usize, threads: usize) -> Self {
        Self {
            count,
            threads,
            next: AtomicUsize::new(0),
        }
    }

    fn take(&self) -> Option<Range<usize>> {
        let pieces = self.threads * PIECES;
        let taken = self.next.fetch_add(1, Relaxed);
        let piece = taken % self.threads * PIECES + taken / self.threads;
        let size = self.count.div_ceil(pieces);
        (taken < pieces).then(|| self.count.min(piece * size)..self.count.min((piece + 1) * size))
    }

    fn take_all(&self) {
        self.next.store(self.threads * PIECES, Relaxed);
    }
}

/// The searches of a thread.
struct Search<'a> {
    search: &'a ParallelSearch<'a>,
    path: Vec<Frame>,
    round: Round,
    ticker: Ticker<'a>,
}

/// A state whose visit has begun.
#[derive(Clone, Copy)]
struct Frame {
    state: StateId,
    /// The branch that is to be looked at next.
    next: u32,
}

impl<'a> Search<'a> {
    fn new(search: &'a ParallelSearch<'a>) -> Self {
        Self {
            search,
            path: Vec::new(),
            round: Round::default(),
            ticker: search.answer.watch.ticker(),
        }
    }

    /// Visits a state, and the unvisited states that it reaches.
    #[inline]
    fn visit(&mut self, root: StateId) {
        if !self.search.claim(root) {
            return;
        }
        let mut frame = self.enter(root);
        while !self.round.is_given_up {
            if let Some(child) = self.advance(&mut frame) {
                self.path.push(frame);
                frame = self.enter(child);
                continue;
            }
            self.leave(frame.state);
            let Some(parent) = self.path.pop() else {
                return;
            };
            frame = parent;
        }
        self.round.behind.push(frame.state);
        let path = self.path.drain(..);
        self.round.behind.extend(path.map(|frame| frame.state));
    }

    #[inline]
    fn enter(&self, state: StateId) -> Frame {
        Frame {
            state,
            next: self.search.rows.row(state).start,
        }
    }

    /// Visits the frame's branches, up to the first target that is not visited yet.
    #[inline]
    fn advance(&self, frame: &mut Frame) -> Option<StateId> {
        let rows = self.search.rows;
        let targets = rows.targets(frame.next..rows.row(frame.state).end);
        let mut targets = (frame.next + 1..).zip(targets);
        let (next, &child) = targets.find(|&(_, &target)| self.search.claim(target))?;
        frame.next = next;
        Some(child)
    }

    /// Ends the visit of a state: it is placed, or left behind.
    #[inline]
    fn leave(&mut self, state: StateId) {
        match self.search.mark(state) {
            0 => self.leave_behind(state),
            mark => {
                self.search.marks[state.index()].store(mark, Relaxed);
                self.round.placed += 1;
            }
        }
        self.round.is_given_up |= self.ticker.is_cancelled();
    }

    fn leave_behind(&mut self, state: StateId) {
        let round = &mut self.round;
        round.behind.push(state);
        round.is_given_up = round.behind.len() >= self.search.patience && round.is_in_vain();
    }
}
