//! One round of the parallel search for SCCs: all threads search depth-first at once, each among the states that
//! it *claims*, and the whole graph is divided into such *cells*.
//!
//! A thread searches its cell as [`super::pearce`] does. An edge to a state that another thread has claimed and
//! not finished tells nothing yet; it is an *exit* of the state, and of all that reaches the state. So the
//! components of a cell end in one of two ways:
//!
//! - *closed*: no exit is reached, so the component of the cell is one of the graph;
//! - *undecided*: its states are in one component of the graph, but that may be larger. It becomes a *group*.
//!
//! Where all that leaves a group leads to one and the same exit, groups before it take over that exit: long
//! paths, trees and diamonds come to point to where they end. [`super::quotient`] says what becomes of groups.

use super::interleave;
use super::ticker::Watch;
use crate::Error;
use mdp_graph::{SharedBits, Table, ascending};
use rayon::prelude::*;
use std::ops::Range;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize};

/// What the word of a state says, by its size: nothing yet, the index of an open state, the group of an undecided
/// one, the component of a closed one. Groups and components are named by one of their states.
const UNVISITED: u32 = 0;
const UNDECIDED: u32 = 1 << 30;
const CLOSED: u32 = 1 << 31;

/// The most states that words can name.
const MOST_STATES: usize = 1 << 30;

/// A group without exits that are known: what it leads to was decided meanwhile.
pub(super) const NO_EXIT: u32 = u32::MAX;

/// A group with several exits.
pub(super) const MANY: u32 = u32::MAX - 1;

/// How many states a thread takes as roots at a time.
const BLOCK: usize = 1 << 10;

/// A round does not pay if more than this part of the states that were finished are groups that the
/// next round has to search.
const MOST_NODES: u64 = 2;

/// This part of the states must be finished before that is judged.
const SAMPLE: u64 = 32;

/// How many exits are followed one after the other.
const MOST_HOPS: usize = 8;

/// A graph: the edges of state `s` are `targets[rows[s]..rows[s + 1]]`.
#[derive(Clone, Copy)]
pub(super) struct Edges<'a> {
    pub(super) rows: &'a [u32],
    pub(super) targets: &'a [u32],
}

impl<'a> Edges<'a> {
    pub(super) fn num_states(self) -> usize {
        self.rows.len() - 1
    }

    #[inline]
    pub(super) fn of(self, state: u32) -> &'a [u32] {
        let state = state as usize;
        &self.targets[self.rows[state] as usize..self.rows[state + 1] as usize]
    }
}

/// How many threads may search a graph of so many states at once.
pub(super) fn most_cells(num_states: usize) -> usize {
    (UNDECIDED as usize - 1) / (num_states + 1)
}

/// What is known of a state after a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Status {
    Open,
    /// In the group of this state.
    Undecided(u32),
    /// In the component of this state.
    Closed(u32),
}

/// The marks of states, which all threads share.
pub(super) struct Marks {
    words: Table<u32>,
    /// For each group, at the state that names it, its exit.
    exits: Table<u32>,
    /// For each state of a group another one, in a ring.
    rings: Table<u32>,
}

/// The same, during a round.
#[derive(Clone, Copy)]
pub(super) struct Shared<'a> {
    words: &'a [AtomicU32],
    exits: &'a [AtomicU32],
    rings: &'a [AtomicU32],
}

impl Marks {
    pub(super) fn new(num_states: usize) -> Self {
        debug_assert!(num_states < MOST_STATES);
        Self {
            words: Table::new(num_states),
            exits: Table::new(num_states),
            rings: Table::new(num_states),
        }
    }

    /// Closes each state of a set by itself.
    pub(super) fn close(&mut self, states: &SharedBits) {
        let words = self.words.par_chunks_mut(64).enumerate();
        words
            .with_min_len(BLOCK / 64)
            .for_each(|(word, states_of_word)| {
                for state in ascending(word, states.word(word)) {
                    states_of_word[state as usize % 64] = CLOSED + state;
                }
            });
    }

    pub(super) fn shared(&mut self) -> Shared<'_> {
        Shared {
            words: self.words.as_atomics(),
            exits: self.exits.as_atomics(),
            rings: self.rings.as_atomics(),
        }
    }

    /// For each state its component, if it is closed, or else the answer for its group.
    pub(super) fn into_answers(mut self) -> Table<u32> {
        let answers = &self.rings;
        self.words
            .par_iter_mut()
            .with_min_len(BLOCK)
            .for_each(|word| {
                *word = match status(*word) {
                    Status::Undecided(group) => answers[group as usize],
                    Status::Closed(component) => component,
                    Status::Open => *word,
                }
            });
        self.words
    }

    /// Where a search goes on that was given up: all is unvisited, but for what is closed.
    pub(super) fn closed_only(&self) -> Table<u32> {
        let mut index = Table::new(self.words.len());
        let words = index.par_iter_mut().zip(&self.words[..]);
        words.with_min_len(BLOCK).for_each(|(index, &word)| {
            if word >= CLOSED {
                *index = u32::MAX;
            }
        });
        index
    }

    /// The answers of a search that went on, and those of what was closed before.
    pub(super) fn with_closed(&self, mut answers: Table<u32>) -> Table<u32> {
        let words = answers.par_iter_mut().zip(&self.words[..]);
        words.with_min_len(BLOCK).for_each(|(answer, &word)| {
            if let Status::Closed(component) = status(word) {
                *answer = component;
            }
        });
        answers
    }
}

/// What a word says.
#[inline]
pub(super) fn status(word: u32) -> Status {
    match word {
        CLOSED.. => Status::Closed(word - CLOSED),
        UNDECIDED.. => Status::Undecided(word - UNDECIDED),
        _ => Status::Open,
    }
}

impl Shared<'_> {
    #[inline]
    pub(super) fn status(self, state: u32) -> Status {
        interleave::pause();
        status(self.words[state as usize].load(Acquire))
    }

    /// The exit of a group.
    #[inline]
    pub(super) fn exit(self, group: u32) -> u32 {
        interleave::pause();
        self.exits[group as usize].load(Relaxed)
    }

    /// The states of a group.
    pub(super) fn members(self, group: u32) -> impl Iterator<Item = u32> {
        let mut next = Some(group);
        std::iter::from_fn(move || {
            let state = next?;
            let after = self.rings[state as usize].load(Relaxed);
            next = (after != group).then_some(after);
            Some(state)
        })
    }

    /// Puts a state into a group that was found otherwise, of which one state is `group`.
    pub(super) fn put(self, state: u32, group: u32) {
        self.exits[state as usize].store(MANY, Relaxed);
        self.words[state as usize].store(UNDECIDED + group, Relaxed);
    }

    /// Gives a group another exit.
    pub(super) fn set_exit(self, group: u32, exit: u32) {
        self.exits[group as usize].store(exit, Relaxed);
    }

    /// Answers for a group, whose members nobody asks for any more.
    pub(super) fn answer(self, group: u32, component: u32) {
        self.rings[group as usize].store(component, Relaxed);
    }

    /// Where a state that others have claimed leads to in the end, as far as it is known.
    #[inline]
    fn follow(self, mut state: u32) -> u32 {
        // It does not matter how far this goes; threads may make a ring of exits at the same time.
        for _ in 0..MOST_HOPS {
            match self.status(state) {
                Status::Open => return state,
                Status::Closed(_) => return NO_EXIT,
                Status::Undecided(group) => match self.exit(group) {
                    MANY | NO_EXIT => return group,
                    exit => state = exit,
                },
            }
        }
        state
    }

    /// The exit of what has these two.
    #[inline]
    fn join(self, a: u32, b: u32) -> u32 {
        if a == b || b == NO_EXIT {
            return a;
        }
        if a == NO_EXIT {
            return b;
        }
        if a == MANY || b == MANY {
            return MANY;
        }
        // One of them may lead to the other by now.
        match (self.follow(a), self.follow(b)) {
            (a, b) if a == b => a,
            (a, NO_EXIT) => a,
            (NO_EXIT, b) => b,
            _ => MANY,
        }
    }
}

/// What threads share in a round.
struct Round<'a> {
    edges: Edges<'a>,
    marks: Shared<'a>,
    watch: &'a Watch<'a>,
    /// How many states a thread takes as roots at a time, and how many such blocks were taken.
    block: usize,
    blocks: AtomicUsize,
    /// After so many visits a thread adds to what all have seen.
    period: u32,
    stop: AtomicBool,
    crowded: AtomicBool,
    /// States that are closed or in groups, and groups that are left for the next round.
    num_finished: AtomicU64,
    num_nodes: AtomicU64,
}

/// How a round ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// All states are closed or undecided.
    Done,
    /// Too little of it was decided to go on: threads met in each other's open states all the time.
    Crowded,
}

/// Searches all states that have no mark, on so many threads.
pub(super) fn search(
    edges: Edges<'_>,
    marks: Shared<'_>,
    (threads, period): (usize, u32),
    watch: &Watch<'_>,
) -> Result<Outcome, Error> {
    let round = Round::new(edges, marks, (threads, period), watch);
    rayon::broadcast(|context| {
        if context.index() < threads {
            Cell::new(&round, context.index()).search();
        }
    });
    watch.check()?;
    tracing::debug!(nodes = ?round.num_nodes, finished = ?round.num_finished, "cells are searched");
    Ok(round.outcome())
}

impl<'a> Round<'a> {
    fn new(
        edges: Edges<'a>,
        marks: Shared<'a>,
        (threads, period): (usize, u32),
        watch: &'a Watch<'a>,
    ) -> Self {
        Self {
            edges,
            marks,
            watch,
            block: (edges.num_states() / (16 * threads)).clamp(1, BLOCK),
            blocks: AtomicUsize::new(0),
            period,
            stop: AtomicBool::new(false),
            crowded: AtomicBool::new(false),
            num_finished: AtomicU64::new(0),
            num_nodes: AtomicU64::new(0),
        }
    }

    /// The next states to be taken as roots, the last ones of the graph first.
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

/// A state whose visit has begun.
#[derive(Clone, Copy)]
struct Frame {
    state: u32,
    /// The first edge that is still to be looked at, and the one after the last.
    next: u32,
    end: u32,
    /// The smallest index of the open states of the cell that are known to be reached.
    low: u32,
    exit: u32,
}

/// The search of one thread.
struct Cell<'a> {
    round: &'a Round<'a>,
    /// The first index of the cell, and how many it may have.
    base: u32,
    span: u32,
    next_index: u32,
    path: Vec<Frame>,
    /// The states that were left but whose component is open.
    open: Vec<u32>,
    visits: u32,
    closed: usize,
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
            closed: 0,
            grouped: 0,
            nodes: 0,
        }
    }

    /// Searches from block after block of roots.
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

    /// Adds to what all threads have seen.
    #[cold]
    fn report(&mut self) {
        let round = self.round;
        let add = |sum: &AtomicU64, own: u64| sum.fetch_add(own, Relaxed) + own;
        let own = (self.closed + std::mem::take(&mut self.grouped)) as u64;
        let finished = add(&round.num_finished, own);
        let nodes = add(&round.num_nodes, std::mem::take(&mut self.nodes));
        round.watch.add(std::mem::take(&mut self.closed));
        if round.watch.is_cancelled() {
            round.stop.store(true, Relaxed);
        }
        let is_sample = finished > round.edges.num_states() as u64 / SAMPLE;
        if is_sample && round.period < u32::MAX && nodes > finished / MOST_NODES {
            round.crowded.store(true, Relaxed);
            round.stop.store(true, Relaxed);
        }
    }

    /// Begins a search from a state, unless it is claimed.
    #[inline]
    fn begin(&mut self, root: u32) -> Option<Frame> {
        self.claim(root).then(|| self.enter(root))
    }

    /// Goes down to a state, or back up. Says whether to go on.
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
        let (low, exit) = self.leave(*frame);
        let Some(parent) = self.path.pop() else {
            return false;
        };
        *frame = parent;
        frame.low = frame.low.min(low);
        frame.exit = self.round.marks.join(frame.exit, exit);
        true
    }

    /// Takes a state, if nobody has.
    #[inline]
    fn claim(&mut self, state: u32) -> bool {
        let word = &self.round.marks.words[state as usize];
        interleave::pause();
        word.load(Relaxed) == UNVISITED
            && word
                .compare_exchange(UNVISITED, self.next_index, AcqRel, Relaxed)
                .is_ok()
    }

    /// Begins the visit of a state that was claimed.
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
            exit: NO_EXIT,
        }
    }

    /// Looks at the frame's edges, up to a target that could be claimed if there is one.
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
            } else if word < CLOSED {
                let exit = marks.follow(target);
                frame.exit = marks.join(frame.exit, exit);
            }
        }
        None
    }

    /// Ends the visit of a state: its component of the cell is complete, or stays open. Returns what its
    /// parent learns: the earliest open state reached, and the exit.
    #[inline]
    fn leave(&mut self, frame: Frame) -> (u32, u32) {
        let marks = self.round.marks;
        let word = &marks.words[frame.state as usize];
        let own = word.load(Relaxed);
        if frame.low < own {
            word.store(frame.low, Relaxed);
            self.open.push(frame.state);
            return (frame.low, frame.exit);
        }
        let members = self.open.iter().rev();
        let is_member = |state: &&u32| marks.words[**state as usize].load(Relaxed) >= own;
        let first = self.open.len() - members.take_while(is_member).count();
        self.next_index = own;
        let exit = match frame.exit {
            NO_EXIT => self.close(frame.state, first),
            exit => self.group(frame.state, first, own, exit),
        };
        self.open.truncate(first);
        (u32::MAX, exit)
    }

    #[inline]
    fn close(&mut self, root: u32, first: usize) -> u32 {
        let marks = self.round.marks;
        for &member in &self.open[first..] {
            interleave::pause();
            marks.words[member as usize].store(CLOSED + root, Release);
        }
        interleave::pause();
        marks.words[root as usize].store(CLOSED + root, Release);
        self.closed += self.open.len() - first + 1;
        NO_EXIT
    }

    /// Makes a group of a component that has an exit, unless that is closed by now.
    #[cold]
    fn group(&mut self, root: u32, first: usize, own: u32, exit: u32) -> u32 {
        let marks = self.round.marks;
        let is_own = |state: u32| {
            let word = marks.words[state as usize].load(Relaxed);
            (own..self.base + self.span).contains(&word)
        };
        let exit = match exit {
            MANY => MANY,
            exit => match marks.follow(exit) {
                NO_EXIT => return self.close(root, first),
                // Others lead back.
                exit if is_own(exit) => NO_EXIT,
                exit => exit,
            },
        };
        interleave::pause();
        marks.exits[root as usize].store(exit, Relaxed);
        let members = &self.open[first..];
        self.grouped += members.len() + 1;
        self.nodes += u64::from(exit >= MANY);
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
        match exit {
            MANY | NO_EXIT => root,
            exit => exit,
        }
    }
}

#[cfg(test)]
mod tests {
    //! Threads in every order: steps of several cells by one thread, in an order that is drawn.

    use super::super::quotient::Nodes;
    use super::super::ticker::Ticker;
    use super::*;
    use crate::Silent;
    use proptest::prelude::*;

    /// A graph as the targets of each state, and its rows.
    fn rows(graph: &[Vec<u32>]) -> (Vec<u32>, Vec<u32>) {
        let ends = graph.iter().scan(0, |end, targets| {
            *end += targets.len() as u32;
            Some(*end)
        });
        (std::iter::once(0).chain(ends).collect(), graph.concat())
    }

    /// Which states reach which, after Warshall.
    fn reach(graph: &[Vec<u32>]) -> Vec<Vec<bool>> {
        let n = graph.len();
        let mut reach: Vec<Vec<bool>> = (0..n)
            .map(|i| {
                (0..n)
                    .map(|j| i == j || graph[i].contains(&(j as u32)))
                    .collect()
            })
            .collect();
        for via in 0..n {
            let through = reach[via].clone();
            for row in reach.iter_mut().filter(|row| row[via]) {
                row.iter_mut()
                    .zip(&through)
                    .for_each(|(to, &further)| *to |= further);
            }
        }
        reach
    }

    /// Searches with several cells; `order` says whose turn it is.
    fn search_in_turns(round: &Round<'_>, cells: usize, order: &[usize]) {
        let mut turns = order.iter().copied().cycle();
        let mut cells: Vec<_> = (0..cells)
            .map(|number| (Cell::new(round, number), 0..0, None::<Frame>))
            .collect();
        while !cells.is_empty() {
            let turn = turns.next().unwrap_or(0) % cells.len();
            let (cell, roots, frame) = &mut cells[turn];
            match frame {
                Some(at) => {
                    if !cell.step(at) {
                        *frame = None;
                    }
                }
                None => match roots.next_back() {
                    Some(root) => *frame = cell.begin(root),
                    None => match round.take_block() {
                        Some(block) => *roots = block,
                        None => drop(cells.swap_remove(turn)),
                    },
                },
            }
        }
    }

    fn graph() -> impl Strategy<Value = Vec<Vec<u32>>> {
        (2..40u32, 0..3u32, 1..4usize).prop_flat_map(|(n, shape, degree)| {
            let target = move |state: u32| match shape {
                0 => (0..n).boxed(),
                1 => (state.saturating_sub(2)..(state + 3).min(n)).boxed(),
                _ => prop_oneof![6 => Just((state + 1) % n), 1 => 0..n].boxed(),
            };
            (0..n)
                .map(|state| prop::collection::vec(target(state), 0..=degree))
                .collect::<Vec<_>>()
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]

        #[test]
        fn cells_and_their_quotient_give_the_components(
            graph in graph(),
            cells in 1..6usize,
            order in prop::collection::vec(0..60usize, 1..200),
        ) {
            let n = graph.len();
            let (rows, targets) = rows(&graph);
            let edges = Edges { rows: &rows, targets: &targets };
            let mut marks = Marks::new(n);
            let watch = Watch::new(&Ticker::new(&Silent, n), 0);
            let round = Round::new(edges, marks.shared(), (64, u32::MAX), &watch);
            search_in_turns(&round, cells, &order);
            let reach = reach(&graph);
            let connected = |a: usize, b: usize| reach[a][b] && reach[b][a];

            let nodes = Nodes::new(marks.shared(), n);
            let (small_rows, small_targets) = nodes.edges(edges, marks.shared());
            let small: Vec<Vec<u32>> = small_rows
                .windows(2)
                .map(|row| small_targets[row[0] as usize..row[1] as usize].to_vec())
                .collect();
            let among = super::tests::reach(&small);
            let components: Vec<u32> = (0..small.len())
                .map(|i| (0..=i).find(|&j| among[i][j] && among[j][i]).unwrap_or(i) as u32)
                .collect();
            let answers = nodes.answer(edges, marks, &components, &watch).expect("nobody cancels");
            for a in 0..n {
                for b in 0..n {
                    prop_assert_eq!(answers[a] == answers[b], connected(a, b), "{} and {}", a, b);
                }
            }
        }
    }
}
