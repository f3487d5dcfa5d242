//! Finds single states that can be placed, by parallel depth-first searches.
//!
//! ```text
//! visit(state):  visit each target that is not visited yet
//!                if each choice that does not stay has a placed target: place the state, before
//!                    these; settle what waits for it in the same way
//!                otherwise: let it wait for a target
//! ```
//!
//! All threads search at the same time. A state is visited by the thread that reaches it first. A
//! thread does not wait for a state that another thread is visiting: the state that led there
//! waits, and the thread goes on with the state before it. [`Waiting`] describes how.
//!
//! For SCCs, this places every state that is a component and leads to no unplaced component of
//! several states. For MECs, a state may wait for a target that in turn waits for the state,
//! although another target of the same choice has been placed. Such states, and the states that
//! wait for them, are left behind. If few states are on cycles, there are few such states, and one
//! thread visits them again. Otherwise this search is soon given up.

use super::rows::Rows;
use super::waiting::Waiting;
use crate::observer::Ticker;
use mdp_graph::StateId;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// A search is given up if a thread visits one of this many states, and places few of them.
const TRIED: usize = 64;

/// Another round is worthwhile if a round leaves at most one of this many of its states behind.
const LEFT_BEHIND: usize = 2;

/// A round is not worthwhile if it places less than one of this many states that it visits.
const PLACED: usize = 4;

/// The number of pieces that each thread takes, if all threads are equally fast.
const PIECES_PER_THREAD: usize = 16;

/// The search of all threads for single states that can be placed.
pub(super) struct ParallelSearch<'a> {
    pub(super) states: Waiting<'a>,
    /// A thread gives up if this many states wait, and if it has placed few states.
    pub(super) patience: usize,
}

/// The result of a search.
#[derive(Clone, Copy)]
pub(super) struct Found {
    /// The number of states that are placed.
    pub(super) placed: usize,
    /// Whether the first round placed a sufficient part of the states that it visited.
    pub(super) was_worth_while: bool,
}

/// The result of a round, or of a thread's part of it.
#[derive(Default)]
struct Round {
    placed: usize,
    /// The number of states that began to wait, minus those that were released.
    behind: usize,
    is_given_up: bool,
}

impl Round {
    fn is_in_vain(&self) -> bool {
        PLACED * self.placed < self.placed + self.behind
    }
}

impl<'a> ParallelSearch<'a> {
    /// Makes a search among `states`. `cached` is the number of states that fit a cache.
    pub(super) fn new(states: Waiting<'a>, cached: usize) -> Self {
        let patience = cached.max(states.marks.len() / TRIED);
        Self { states, patience }
    }

    /// Places the states that searches find.
    pub(super) fn run(&self) -> Found {
        let states = self.states.marks.len();
        let from_last = |i| StateId::from_index(states - 1 - i);
        let pieces = Pieces::new(states, rayon::current_num_threads());
        let parts = rayon::broadcast(|_| self.visit_pieces(&pieces, from_last));
        let (mut behind, mut round) = self.end(&parts);
        let mut placed = round.placed;
        let was_worth_while = !round.is_in_vain();
        // For SCCs, the states left behind lead to a component that is not placed.
        let mut pays = was_worth_while && self.states.ends.is_some();
        while pays && !behind.is_empty() {
            // One thread visits them, so that no thread waits for another.
            let pieces = Pieces::new(behind.len(), 1);
            let before = behind.len();
            let part = self.visit_pieces(&pieces, |i| behind[i]);
            (behind, round) = self.end(&[part]);
            placed += round.placed;
            pays = !round.is_given_up && behind.len() <= before / LEFT_BEHIND;
        }
        Found {
            placed,
            was_worth_while,
        }
    }

    /// Visits the pieces that a thread takes, and the states to which they lead.
    fn visit_pieces(&self, pieces: &Pieces, root: impl Fn(usize) -> StateId) -> Round {
        let mut search = ThreadSearch::new(self);
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

    /// Returns the result of a round, and the states that it has left behind.
    fn end(&self, parts: &[Round]) -> (Vec<StateId>, Round) {
        let placed = parts.iter().map(|part| part.placed).sum();
        let behind = match placed == self.states.free() {
            true => Vec::new(),
            false => self.states.forget(),
        };
        let round = Round {
            placed,
            behind: behind.len(),
            is_given_up: parts.iter().any(|part| part.is_given_up),
        };
        (behind, round)
    }
}

/// The states to be visited, in pieces that threads take. The pieces of different threads are far
/// apart, so that their searches seldom meet.
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
        let pieces = self.threads * PIECES_PER_THREAD;
        let taken = self.next.fetch_add(1, Relaxed);
        let piece = taken % self.threads * PIECES_PER_THREAD + taken / self.threads;
        let size = self.count.div_ceil(pieces);
        (taken < pieces).then(|| self.count.min(piece * size)..self.count.min((piece + 1) * size))
    }

    fn take_all(&self) {
        self.next.store(self.threads * PIECES_PER_THREAD, Relaxed);
    }
}

/// The searches of one thread.
struct ThreadSearch<'a> {
    search: &'a ParallelSearch<'a>,
    rows: Rows<'a>,
    path: Vec<Frame>,
    /// States that waited for states which have now been placed.
    released: Vec<StateId>,
    round: Round,
    ticker: Ticker<'a>,
}

/// A state whose visit has begun.
#[derive(Clone, Copy)]
struct Frame {
    state: StateId,
    /// The branch to be examined next.
    next: u32,
}

impl<'a> ThreadSearch<'a> {
    fn new(search: &'a ParallelSearch<'a>) -> Self {
        Self {
            search,
            rows: search.states.rows,
            path: Vec::new(),
            released: Vec::new(),
            round: Round::default(),
            ticker: search.states.answer.watch.ticker(),
        }
    }

    /// Visits a state, and the unvisited states that it reaches.
    #[inline]
    fn visit(&mut self, root: StateId) {
        if !self.search.states.claim(root) {
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
    }

    #[inline]
    fn enter(&self, state: StateId) -> Frame {
        Frame {
            state,
            next: self.rows.row(state).start,
        }
    }

    /// Examines the branches of the frame, up to the first target that is not visited yet.
    #[inline]
    fn advance(&self, frame: &mut Frame) -> Option<StateId> {
        let targets = self
            .rows
            .targets(frame.next..self.rows.row(frame.state).end);
        let mut targets = (frame.next + 1..).zip(targets);
        let (next, &child) = targets.find(|&(_, &target)| self.search.states.claim(target))?;
        frame.next = next;
        Some(child)
    }

    /// Ends the visit of a state: places it, and the states that wait for it, or lets it wait.
    #[inline]
    fn leave(&mut self, state: StateId) {
        let states = &self.search.states;
        let is_placed = states.settle(state, &mut self.released);
        self.count(is_placed);
        while let Some(state) = self.released.pop() {
            // Another thread may have counted it.
            self.round.behind = self.round.behind.saturating_sub(1);
            let is_placed = states.settle_released(state, &mut self.released);
            self.count(is_placed);
        }
        self.round.is_given_up |= self.ticker.is_cancelled();
    }

    #[inline]
    fn count(&mut self, is_placed: bool) {
        let round = &mut self.round;
        if is_placed {
            round.placed += 1;
            return;
        }
        round.behind += 1;
        round.is_given_up |= round.behind >= self.search.patience && round.is_in_vain();
    }
}
