//! The places of states: the certificate, which grows from its end, and the search along retained
//! choices, which orders the states within a component.
//!
//! The search is Tarjan's, as in [`super::search`], but it ends at the first group that closes: the
//! component is connected iff this group is the whole component. Most states of components retain
//! all their choices, so their branches are searched as one row. For other states, the search
//! checks each choice before it follows the choice.

use super::answer::{Answer, not_connected};
use super::levels::Levels;
use super::marks::{FIRST, UNVISITED, UNVISITED_MEMBER, VISITED};
use super::parallel_search::ParallelSearch;
use super::rows::{Ends, Rows};
use super::shape::Shape;
use super::singles::Singles;
use super::waiting::Waiting;
use crate::observer::Ticker;
use crate::{Certificate, Error, Violation};
use bytemuck::{Pod, Zeroable};
use mdp_graph::{BitSet, ComponentId, ComponentKind, SharedBits, StateId, Table};
use rayon::prelude::*;
use std::ops::Range;

/// The low link of a state from which no retained choice has been followed.
const NOTHING: u32 = u32::MAX;

pub(super) struct Places<'a> {
    answer: Answer<'a>,
    rows: Rows<'a>,
    ends: &'a Ends,
    /// The result of [`settled`].
    settled: BitSet,
    /// The placed states, from index `free` on. Before that: the component that is being searched,
    /// or was searched last.
    order: &'a mut [StateId],
    free: usize,
    /// The number `back` of each state that was searched.
    back: &'a mut Table<u32>,
    /// The mark of each state: its position plus [`FIRST`], or less if it has none.
    marks: &'a mut Table<u32>,
    /// The states of components that were searched but could not be placed.
    aside: Vec<StateId>,
    /// The index of the first state of each of these components in `aside`, plus 1; otherwise 0.
    aside_first: Table<u32>,
    path: &'a mut [Frame],
    ticker: Ticker<'a>,
}

/// A state of a component whose visit has begun.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Frame {
    state: StateId,
    /// The first branch that has not been examined.
    next: u32,
    /// The branch after the choices that are known to be retained.
    known: u32,
    /// The branch after the last one of the state.
    end: u32,
    /// The smallest mark to which retained choices lead, or [`NOTHING`].
    low: u32,
}

/// The memory of [`Places`].
pub(super) struct Memory {
    order: Table<StateId>,
    back: Table<u32>,
    marks: Table<u32>,
    path: Table<Frame>,
}

impl Memory {
    pub(super) fn new(states: usize) -> Self {
        Self {
            order: Table::new(states),
            back: Table::new(states),
            marks: Table::new(states),
            path: Table::new(states),
        }
    }

    /// Returns the certificate, when all states are placed.
    pub(super) fn into_certificate(mut self) -> Certificate {
        self.marks.par_iter_mut().for_each(|mark| *mark -= FIRST);
        Certificate::from_parts(self.marks, self.back)
    }
}

impl<'a> Places<'a> {
    pub(super) fn new(
        answer: Answer<'a>,
        rows: Rows<'a>,
        ends: &'a Ends,
        placed: &Levels,
        memory: &'a mut Memory,
    ) -> Self {
        let free = memory.order.len() - placed.num_states;
        let marks = memory.marks.par_iter_mut().enumerate();
        marks.for_each(|(state, mark)| {
            if answer
                .components
                .component(StateId::from_index(state))
                .is_some()
            {
                *mark = UNVISITED_MEMBER;
            }
        });
        placed.store(free as u32 + FIRST, &mut memory.marks, &mut memory.back);
        Self {
            answer,
            rows,
            ends,
            settled: settled(answer, rows),
            free,
            order: &mut memory.order,
            back: &mut memory.back,
            marks: &mut memory.marks,
            aside: Vec::new(),
            aside_first: Table::new(answer.components.len()),
            path: &mut memory.path,
            ticker: answer.watch.ticker(),
        }
    }

    /// Places states by sweeps. Every visited state must be placed.
    pub(super) fn place_singles(&mut self, shape: Shape) {
        let is_placed = |state| self.marks[state] >= FIRST;
        let placed = SharedBits::from(BitSet::from_fn(self.marks.len(), is_placed));
        let last = self.free as u32 + FIRST;
        if last > FIRST {
            let found =
                Singles::new(self.answer, shape).run(&placed, self.marks.as_atomics(), last - 1);
            self.free -= found.states;
        }
    }

    /// Places states by searches on all threads. Every visited state must be placed.
    pub(super) fn parallel_search(&mut self, shape: Shape) {
        let mut choice: Table<u32> = Table::new(self.marks.len());
        let states = Waiting {
            answer: self.answer,
            rows: self.rows,
            ends: Some(self.ends),
            marks: self.marks.as_atomics(),
            earlier: self.back.as_atomics(),
            choice: choice.as_atomics(),
            last: self.free as u32 + FIRST - 1,
            is_shared: rayon::current_num_threads() > 1,
        };
        let found = ParallelSearch::new(states, shape.large).run();
        self.free -= found.placed;
    }

    /// Returns the number of states that are not placed. The state that was placed last has this
    /// position.
    #[inline]
    pub(super) fn free(&self) -> usize {
        self.free
    }

    #[inline]
    pub(super) fn at(&self, position: usize) -> StateId {
        self.order[position]
    }

    /// Returns whether a state is in a component, and all its choices are retained.
    #[inline]
    pub(super) fn is_settled(&self, state: StateId) -> bool {
        self.settled.contains(state.index())
    }

    /// Returns whether most states that are not placed are in no component. Every visited state
    /// must be placed.
    pub(super) fn are_mostly_in_no_component(&self) -> bool {
        let outside = self.marks.par_iter().filter(|&&mark| mark == UNVISITED);
        2 * outside.count() > self.free
    }

    #[inline]
    fn mark(&self, state: StateId) -> u32 {
        self.marks[state.index()]
    }

    #[inline]
    pub(super) fn is_unvisited(&self, state: StateId) -> bool {
        self.mark(state) < VISITED
    }

    #[inline]
    pub(super) fn has_placed(&self, targets: &[StateId]) -> bool {
        targets.iter().any(|&target| self.mark(target) >= FIRST)
    }

    /// Begins the visit of a state. If the state is in a component, returns the component instead.
    #[inline]
    pub(super) fn visit(&mut self, state: StateId) -> Option<ComponentId> {
        if self.mark(state) == UNVISITED_MEMBER {
            return self.answer.components.component(state);
        }
        self.marks[state.index()] = VISITED;
        None
    }

    #[inline]
    pub(super) fn place_state(&mut self, state: StateId) {
        self.free -= 1;
        self.order[self.free] = state;
        self.marks[state.index()] = self.free as u32 + FIRST;
    }

    /// Places a component. It was searched last, or was set aside.
    pub(super) fn place_component(&mut self, id: ComponentId) {
        let size = self.answer.components.size(id) as usize;
        self.free -= size;
        let Some(first) = (self.aside_first[id.index()] as usize).checked_sub(1) else {
            return;
        };
        for (position, &state) in (self.free..).zip(&self.aside[first..first + size]) {
            self.order[position] = state;
            self.marks[state.index()] = position as u32 + FIRST;
        }
    }

    /// Sets the component aside that was searched last, because one of its choices waits.
    pub(super) fn set_aside(&mut self, id: ComponentId) {
        let start = self.free - self.answer.components.size(id) as usize;
        self.aside_first[id.index()] = self.aside.len() as u32 + 1;
        for &state in &self.order[start..self.free] {
            self.marks[state.index()] = VISITED;
            self.aside.push(state);
        }
    }

    /// Searches the component `id` from its state `root`. Adds the choices that leave it and have
    /// no placed target to `leaving`, by their first branches. Checks M2 and M3.
    pub(super) fn search(
        &mut self,
        id: ComponentId,
        root: StateId,
        leaving: &mut Vec<u32>,
    ) -> Result<(), Error> {
        let start = self.free - self.answer.components.size(id) as usize;
        let mut next = start;
        let mut depth = 0;
        let mut frame = self.enter(root, &mut next);
        loop {
            if let Some(child) = self.scan(id, &mut frame, leaving) {
                self.path[depth] = frame;
                depth += 1;
                frame = self.enter(child, &mut next);
                continue;
            }
            let placed = self.marks.len() - self.free;
            self.ticker.tick(|| placed)?;
            let low = self.leave(&frame, start, next)?;
            if depth == 0 {
                break;
            }
            depth -= 1;
            frame = self.path[depth];
            frame.low = frame.low.min(low);
        }
        if next < self.free {
            return Err(self.not_connected(start..next).into());
        }
        Ok(())
    }

    #[inline]
    fn enter(&mut self, state: StateId, next: &mut usize) -> Frame {
        self.order[*next] = state;
        self.marks[state.index()] = *next as u32 + FIRST;
        *next += 1;
        let row = self.rows.row(state);
        Frame {
            state,
            next: row.start,
            known: match self.is_settled(state) {
                true => row.end,
                false => row.start,
            },
            end: row.end,
            low: NOTHING,
        }
    }

    /// Examines the retained choices of the frame up to the last one, or up to an unvisited target.
    /// Returns this target.
    #[inline]
    fn scan(&self, id: ComponentId, frame: &mut Frame, leaving: &mut Vec<u32>) -> Option<StateId> {
        loop {
            let targets = self.rows.targets(frame.next..frame.known);
            for (i, &target) in (1..).zip(targets) {
                let mark = self.mark(target);
                if mark < VISITED {
                    frame.next += i;
                    return Some(target);
                }
                frame.low = frame.low.min(mark);
            }
            if frame.known == frame.end {
                return None;
            }
            let (is_retained, end) = self.is_retained(id, frame.known, leaving);
            frame.next = if is_retained { frame.known } else { end };
            frame.known = end;
        }
    }

    /// Returns whether the choice with this first branch is retained, and the branch after the
    /// choice. If the choice leaves the component and has no placed target, adds it to `leaving`.
    fn is_retained(&self, id: ComponentId, first: u32, leaving: &mut Vec<u32>) -> (bool, u32) {
        let choice = self.ends.choice(first);
        let targets = self.rows.targets(choice.clone());
        let components = self.answer.components;
        let is_retained = targets.iter().all(|&t| components.component(t) == Some(id));
        let placed = self.free as u32 + FIRST;
        if !is_retained && !targets.iter().any(|&target| self.mark(target) >= placed) {
            leaving.push(first);
        }
        (is_retained, choice.end)
    }

    /// Ends the visit of a state, when all positions from `start` up to `next` are taken. Returns
    /// its low link, which its parent needs.
    #[inline]
    fn leave(&mut self, frame: &Frame, start: usize, next: usize) -> Result<u32, Error> {
        let position = (self.mark(frame.state) - FIRST) as usize;
        if frame.low == NOTHING {
            let components = self.answer.components;
            let wrong = Violation::NoRetainedChoice {
                state: frame.state,
                component: components.smallest_of(frame.state).unwrap_or(frame.state),
            };
            return Err(wrong.into());
        }
        let low = frame.low.min(position as u32 + FIRST);
        if position > start {
            self.back[frame.state.index()] = low;
            if low == position as u32 + FIRST {
                return Err(self.not_connected(position..next).into());
            }
        }
        Ok(low)
    }

    #[cold]
    fn not_connected(&self, group: Range<usize>) -> Violation {
        let components = self.answer.components;
        not_connected(ComponentKind::Mec, components, &self.order[group])
    }
}

/// Returns the states of components whose choices are all retained. They are computed in advance,
/// because a search would wait for each look-up; here the look-ups do not depend on each other.
fn settled(answer: Answer<'_>, rows: Rows<'_>) -> BitSet {
    let Answer {
        graph, components, ..
    } = answer;
    BitSet::from_fn(graph.num_states(), |i| {
        let state = StateId::from_index(i);
        let own = components.component(state);
        let stays = |all, &target: &StateId| all & (components.component(target) == own);
        own.is_some() && rows.targets(rows.row(state)).iter().fold(true, stays)
    })
}
