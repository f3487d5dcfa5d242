//! Where states are placed: the certificate as it grows from its end, and the search along retained
//! choices that orders the states of a component within it.
//!
//! The search is Tarjan's, as in [`super::search`], but it ends at the first group that closes: the
//! component is connected iff that is all of it. Which choices are retained it finds out as it goes.

use super::mec::Answer;
use crate::{Certificate, Violation};
use bytemuck::{Pod, Zeroable};
use mdp_graph::{ChoiceId, ComponentId, ComponentKind, StateId, Table};

/// The mark of a state that no search has come to.
pub(super) const UNVISITED: u32 = 0;

/// The mark of a state that is visited and not placed.
const VISITED: u32 = 1;

/// The mark of a state at position 0; that of one at position p is p more.
const FIRST: u32 = 2;

/// A choice of which no branch was looked at.
pub(super) const FRESH: u32 = u32::MAX;

/// All choices, as none leaves.
const ALL: u32 = u32::MAX;

/// No retained choice, so nothing that is reached by one.
const NOTHING: u32 = u32::MAX;

pub(super) struct Places<'a> {
    answer: Answer<'a>,
    /// `n + 1` offsets of states into the branches.
    rows: Table<u32>,
    /// The states that are placed, from `free` onwards. Before that, the component that is being
    /// searched, or was searched last.
    order: &'a mut [StateId],
    back: &'a mut [u32],
    free: usize,
    /// For each state [`UNVISITED`], [`VISITED`], or its position and [`FIRST`].
    marks: &'a mut [u32],
    /// The states of components that were searched but could not be placed, and their ways back,
    /// from the first state of the component.
    aside: Vec<(StateId, u32)>,
    /// For each of these components, from 1, where it begins there.
    aside_first: Table<u32>,
    path: &'a mut [Frame],
}

/// A state of a component whose visit has begun.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Frame {
    state: StateId,
    /// The choice that is being looked at, or [`ALL`].
    choice: u32,
    /// Its next branch, or [`FRESH`].
    branch: u32,
    /// The least mark that retained choices lead to, or [`NOTHING`].
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

    pub(super) fn into_certificate(self) -> Certificate {
        Certificate::from_parts(self.order, self.back)
    }
}

impl<'a> Places<'a> {
    pub(super) fn new(answer: Answer<'a>, memory: &'a mut Memory) -> Self {
        Self {
            answer,
            rows: super::branch_rows(answer.graph),
            free: memory.order.len(),
            order: &mut memory.order,
            back: &mut memory.back,
            marks: &mut memory.marks,
            aside: Vec::new(),
            aside_first: Table::new(answer.components.len()),
            path: &mut memory.path,
        }
    }

    /// How many states are not placed. The last one that was is at this position.
    #[inline]
    pub(super) fn free(&self) -> usize {
        self.free
    }

    #[inline]
    pub(super) fn at(&self, position: usize) -> StateId {
        self.order[position]
    }

    #[inline]
    pub(super) fn mark(&self, state: StateId) -> u32 {
        self.marks[state.index()]
    }

    /// Whether this is the mark of a placed state.
    #[inline]
    pub(super) fn is_placed(mark: u32) -> bool {
        mark >= FIRST
    }

    #[inline]
    pub(super) fn has_placed(&self, targets: &[StateId]) -> bool {
        targets.iter().any(|&t| Self::is_placed(self.mark(t)))
    }

    /// Begins the visit of a state that is in no component.
    #[inline]
    pub(super) fn visit(&mut self, state: StateId) {
        self.marks[state.index()] = VISITED;
    }

    /// The targets of all choices of a state.
    #[inline]
    fn row(&self, state: StateId) -> &'a [StateId] {
        let row = self.rows[state.index()] as usize..self.rows[state.index() + 1] as usize;
        &self.answer.graph.all_targets()[row]
    }

    #[inline]
    pub(super) fn place_state(&mut self, state: StateId) {
        self.free -= 1;
        self.order[self.free] = state;
        self.marks[state.index()] = self.free as u32 + FIRST;
    }

    /// Places a component: what was searched last, unless it was set aside.
    pub(super) fn place_component(&mut self, id: ComponentId) {
        let size = self.answer.components.size(id) as usize;
        self.free -= size;
        let Some(first) = (self.aside_first[id.index()] as usize).checked_sub(1) else {
            return;
        };
        for (i, &(state, back)) in self.aside[first..first + size].iter().enumerate() {
            let position = self.free + i;
            self.order[position] = state;
            self.back[position] = self.free as u32 + back;
            self.marks[state.index()] = position as u32 + FIRST;
        }
    }

    /// Sets aside what was searched last, because a choice of it waits.
    pub(super) fn set_aside(&mut self, id: ComponentId) {
        let start = self.free - self.answer.components.size(id) as usize;
        self.aside_first[id.index()] = self.aside.len() as u32 + 1;
        for position in start..self.free {
            let state = self.order[position];
            self.marks[state.index()] = VISITED;
            self.aside.push((state, self.back[position] - start as u32));
        }
    }

    /// Searches the component `id`, of which `root` is a state, and adds those of its choices to
    /// `leaving` that leave it and have no placed target. Finds out whether M2 and M3 hold.
    pub(super) fn search(
        &mut self,
        id: ComponentId,
        root: StateId,
        leaving: &mut Vec<ChoiceId>,
    ) -> Result<(), Violation> {
        let start = self.free - self.answer.components.size(id) as usize;
        let mut next = start;
        let mut depth = 0;
        let mut frame = self.enter(id, root, start, &mut next);
        loop {
            if let Some(child) = self.scan(id, start, &mut frame, leaving) {
                self.path[depth] = frame;
                depth += 1;
                frame = self.enter(id, child, start, &mut next);
                continue;
            }
            let low = self.leave(&frame, start, next)?;
            if depth == 0 {
                break;
            }
            depth -= 1;
            frame = self.path[depth];
            frame.low = frame.low.min(low);
        }
        if next < self.free {
            return Err(self.not_connected(start..next));
        }
        Ok(())
    }

    #[inline]
    fn enter(&mut self, id: ComponentId, state: StateId, start: usize, next: &mut usize) -> Frame {
        self.order[*next] = state;
        self.marks[state.index()] = *next as u32 + FIRST;
        *next += 1;
        let mut targets = self.row(state).iter();
        let (choice, branch) = match targets.all(|&target| self.is_inside(id, start, target)) {
            true => (ALL, self.rows[state.index()]),
            false => (self.answer.graph.choice_offsets()[state.index()], FRESH),
        };
        Frame {
            state,
            choice,
            branch,
            low: NOTHING,
        }
    }

    /// Whether a state is in the component that is being searched, from position `start` on.
    #[inline]
    fn is_inside(&self, id: ComponentId, start: usize, state: StateId) -> bool {
        match self.mark(state) {
            UNVISITED => self.answer.components.component(state) == Some(id),
            mark => (start as u32 + FIRST..self.free as u32 + FIRST).contains(&mark),
        }
    }

    /// Looks at branches from `first` on, up to an unvisited target, which it returns.
    #[inline]
    fn descend(&self, frame: &mut Frame, first: u32, targets: &[StateId]) -> Option<StateId> {
        for (&target, branch) in targets.iter().zip(first..) {
            let mark = self.mark(target);
            if mark == UNVISITED {
                frame.branch = branch + 1;
                return Some(target);
            }
            frame.low = frame.low.min(mark);
        }
        None
    }

    /// Looks at the frame's retained choices up to the last, or up to an unvisited target, which it
    /// returns.
    #[inline]
    fn scan(
        &self,
        id: ComponentId,
        start: usize,
        frame: &mut Frame,
        leaving: &mut Vec<ChoiceId>,
    ) -> Option<StateId> {
        let graph = self.answer.graph;
        if frame.choice == ALL {
            let row = frame.branch..self.rows[frame.state.index() + 1];
            let targets = &graph.all_targets()[row.start as usize..row.end as usize];
            return self.descend(frame, row.start, targets);
        }
        let end = graph.choice_offsets()[frame.state.index() + 1];
        while frame.choice < end {
            let mut first = graph.branch_offsets()[frame.choice as usize];
            let mut targets = graph.targets(ChoiceId(frame.choice));
            if frame.branch != FRESH {
                targets = &targets[(frame.branch - first) as usize..];
                first = frame.branch;
            }
            let is_inside = |&target: &StateId| self.is_inside(id, start, target);
            if frame.branch != FRESH || targets.iter().all(is_inside) {
                if let Some(child) = self.descend(frame, first, targets) {
                    return Some(child);
                }
            } else {
                let is_placed = |&target: &StateId| self.mark(target) >= self.free as u32 + FIRST;
                if !targets.iter().any(is_placed) {
                    leaving.push(ChoiceId(frame.choice));
                }
            }
            frame.choice += 1;
            frame.branch = FRESH;
        }
        None
    }

    /// Ends the visit of a state, when all positions from `start` up to `next` are taken. Returns
    /// what its parent learns: its low link.
    #[inline]
    fn leave(&mut self, frame: &Frame, start: usize, next: usize) -> Result<u32, Violation> {
        let position = (self.mark(frame.state) - FIRST) as usize;
        if frame.low == NOTHING {
            let components = self.answer.components;
            return Err(Violation::NoRetainedChoice {
                state: frame.state,
                component: components.label(frame.state).unwrap_or(frame.state),
            });
        }
        let low = frame.low.min(position as u32 + FIRST);
        self.back[position] = low - FIRST;
        if self.back[position] as usize == position && position > start {
            return Err(self.not_connected(position..next));
        }
        Ok(low)
    }

    #[cold]
    fn not_connected(&self, group: std::ops::Range<usize>) -> Violation {
        let components = self.answer.components;
        super::not_connected(ComponentKind::Mec, components, &self.order[group])
    }
}
