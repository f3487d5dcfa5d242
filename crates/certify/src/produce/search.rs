//! One depth-first search that closes strongly connected groups of states, after R. Tarjan,
//! "Depth-first search and linear graph algorithms", SIAM Journal on Computing 1(2), 1972, without
//! recursion.
//!
//! ```text
//! visit(v):  low = index[v] = position of v on the stack, from 1; push v
//!            for each edge v -> w:  if index[w] = 0: low = min(low, visit(w))
//!                                   else:            low = min(low, index[w])
//!            if low < index[v]:     back[v] = low
//!            else:                  close the states from v upwards: their index is their
//!                                   position in the order
//!            return low, or infinity if v closed a group
//! ```
//!
//! A group is a contiguous part of the stack, in the order in which the search came to its states.
//! The search entered each state except the first by an edge from an earlier state. The `low` of a
//! state is the position of an earlier state of the group. An edge leads there from the state
//! itself, or from a state that was entered from it. A group is closed before all groups from which
//! edges lead to it, and takes positions from the end of the order. So these positions are larger
//! than any position on the stack.

use super::levels::Levels;
use super::rows::Rows;
use crate::observer::{Ticker, Watch};
use crate::{Certificate, Error, Violation};
use bytemuck::{Pod, Zeroable};
use mdp_graph::{StateId, Table};

const UNVISITED: u32 = 0;

/// The value that the parent of a closed state receives.
const CLOSED: u32 = u32::MAX;

/// An order of states, which grows from its end, and the memory of searches.
pub(super) struct Order {
    /// For each state [`UNVISITED`], or its position on the stack, from 1. When the state is
    /// closed: its position in the order, from 1, which is larger than all positions on the stack.
    pub(super) index: Table<u32>,
    /// The low link of each state whose visit is suspended or has ended; 0 for the first state of a
    /// group.
    pub(super) back: Table<u32>,
    stack: Table<StateId>,
    path: Table<Suspended>,
    /// The number of states that are not closed.
    pub(super) free: usize,
}

impl Order {
    /// Makes an order of the states that are already placed.
    pub(super) fn new(states: usize, placed: &Levels) -> Self {
        let mut order = Self {
            index: Table::new(states),
            back: Table::new(states),
            stack: Table::new(states),
            path: Table::new(states),
            free: states - placed.num_states,
        };
        placed.store(order.free as u32 + 1, &mut order.index, &mut order.back);
        order
    }

    /// Visits these states, and all states to which they lead, unless they are placed. Puts each
    /// group before the groups to which its edges lead, and the states of a group in the order in
    /// which they were visited. Calls `close` with the states of each group when it is found.
    pub(super) fn search(
        &mut self,
        rows: Rows<'_>,
        starts: &mut dyn Iterator<Item = StateId>,
        watch: Watch<'_>,
        mut close: impl FnMut(&[StateId]) -> Result<(), Violation>,
    ) -> Result<(), Error> {
        let mut search = DepthFirstSearch {
            rows,
            index: &mut self.index,
            back: &mut self.back,
            stack: &mut self.stack,
            open: 0,
            free: self.free,
            ticker: watch.ticker(),
        };
        for start in starts {
            search.from(start, &mut self.path, &mut close)?;
        }
        self.free = search.free;
        Ok(())
    }

    pub(super) fn into_certificate(self) -> Certificate {
        Certificate::from_parts(self.index, self.back)
    }
}

/// A state that is being visited, with the edges that have not been examined and its low link so
/// far.
#[derive(Clone, Copy)]
struct Frame {
    state: StateId,
    next: u32,
    end: u32,
    low: u32,
}

/// A state whose visit is suspended during that of a target. A path may be as long as the model,
/// and writing to new memory for it takes longer than looking up the rest again.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Suspended {
    state: StateId,
    /// The next edge to examine.
    next: u32,
}

struct DepthFirstSearch<'a> {
    rows: Rows<'a>,
    index: &'a mut [u32],
    back: &'a mut [u32],
    stack: &'a mut [StateId],
    /// The number of states that are on the stack.
    open: usize,
    free: usize,
    ticker: Ticker<'a>,
}

impl DepthFirstSearch<'_> {
    /// Visits a state and the states that it reaches, unless it has been visited.
    #[inline]
    fn from(
        &mut self,
        start: StateId,
        path: &mut [Suspended],
        close: &mut impl FnMut(&[StateId]) -> Result<(), Violation>,
    ) -> Result<(), Error> {
        if self.index[start.index()] != UNVISITED {
            return Ok(());
        }
        let mut depth = 0;
        let mut frame = self.enter(start);
        loop {
            if let Some(child) = self.scan(&mut frame) {
                path[depth] = self.suspend(&frame);
                depth += 1;
                frame = self.enter(child);
                continue;
            }
            let closed = self.index.len() - self.free;
            self.ticker.tick(|| closed)?;
            let low = self.leave(frame, close)?;
            if depth == 0 {
                return Ok(());
            }
            depth -= 1;
            frame = self.resume(path[depth], low);
        }
    }

    #[inline]
    fn enter(&mut self, state: StateId) -> Frame {
        self.stack[self.open] = state;
        self.open += 1;
        let low = self.open as u32;
        self.index[state.index()] = low;
        let row = self.rows.row(state);
        Frame {
            state,
            next: row.start,
            end: row.end,
            low,
        }
    }

    #[inline]
    fn suspend(&mut self, frame: &Frame) -> Suspended {
        self.back[frame.state.index()] = frame.low;
        Suspended {
            state: frame.state,
            next: frame.next,
        }
    }

    /// Resumes the visit of a state after the visit of a target, which returned `low`.
    #[inline]
    fn resume(&mut self, Suspended { state, next }: Suspended, low: u32) -> Frame {
        // This is reset, because the state is the first of a group until the opposite is known.
        let so_far = std::mem::take(&mut self.back[state.index()]);
        Frame {
            state,
            next,
            end: self.rows.row(state).end,
            low: so_far.min(low),
        }
    }

    /// Examines the edges of the frame up to the last one, or up to an unvisited target. Returns
    /// this target.
    #[inline]
    fn scan(&self, frame: &mut Frame) -> Option<StateId> {
        let edges = self.rows.targets(frame.next..frame.end);
        for (i, &target) in edges.iter().enumerate() {
            let index = self.index[target.index()];
            if index == UNVISITED {
                frame.next += i as u32 + 1;
                return Some(target);
            }
            frame.low = frame.low.min(index);
        }
        None
    }

    /// Ends the visit of a state. Returns its low link for its parent, or [`CLOSED`].
    #[inline]
    fn leave(
        &mut self,
        frame: Frame,
        close: &mut impl FnMut(&[StateId]) -> Result<(), Violation>,
    ) -> Result<u32, Error> {
        let own = self.index[frame.state.index()];
        if frame.low < own {
            self.back[frame.state.index()] = frame.low;
            return Ok(frame.low);
        }
        let group = &self.stack[own as usize - 1..self.open];
        self.free -= group.len();
        for (position, state) in (self.free as u32 + 1..).zip(group) {
            self.index[state.index()] = position;
        }
        close(group)?;
        self.open = own as usize - 1;
        Ok(CLOSED)
    }
}
