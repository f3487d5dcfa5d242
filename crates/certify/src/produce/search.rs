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

/// What the parent of a closed state learns.
const CLOSED: u32 = u32::MAX;

/// A certificate that has each group before those to which edges lead from it, and its states in
/// the order in which they were visited. Calls `close` with the states of each group as it is
/// found. What is placed already, and all that it leads to, is not searched.
pub(super) fn groups(
    rows: Rows<'_>,
    placed: &Levels,
    starts: impl Iterator<Item = StateId>,
    watch: Watch<'_>,
    mut close: impl FnMut(&[StateId]) -> Result<(), Violation>,
) -> Result<Certificate, Error> {
    let count = rows.num_states();
    let (mut index, mut back) = (Table::new(count), Table::new(count));
    let (mut stack, mut path) = (Table::new(count), Table::new(count));
    let free = count - placed.num_states;
    placed.store(free as u32 + 1, &mut index, &mut back);
    let mut search = Search {
        rows,
        index: &mut index,
        back: &mut back,
        stack: &mut stack,
        open: 0,
        free,
        ticker: watch.ticker(),
    };
    for start in starts {
        search.from(start, &mut path, &mut close)?;
    }
    Ok(Certificate::from_parts(index, back))
}

/// A state that is being visited: the edges still to look at, and the low link so far.
#[derive(Clone, Copy)]
struct Frame {
    state: StateId,
    next: u32,
    end: u32,
    low: u32,
}

/// A state whose visit waits for that of a target. A path may be as long as the model, and fresh
/// memory for it costs more than to look up what is known elsewhere.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Suspended {
    state: StateId,
    /// The next edge to look at.
    next: u32,
}

struct Search<'a> {
    rows: Rows<'a>,
    /// For each state [`UNVISITED`], or its position on the stack, from 1; when it is closed, its
    /// position in the order, from 1, which is above all those on the stack.
    index: &'a mut [u32],
    /// For each state its low link, when it waits or is left; 0 for the first one of a group.
    back: &'a mut [u32],
    stack: &'a mut [StateId],
    /// The number of states that are on the stack.
    open: usize,
    /// The number of states that are not closed.
    free: usize,
    ticker: Ticker<'a>,
}

impl Search<'_> {
    /// Visits a state and what it reaches, unless that is done already.
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

    /// Goes on with a state, after the visit of a target from which `low` was learned.
    #[inline]
    fn resume(&mut self, Suspended { state, next }: Suspended, low: u32) -> Frame {
        // Taken back, as it is the first one of a group until it turns out not to be.
        let so_far = std::mem::take(&mut self.back[state.index()]);
        Frame {
            state,
            next,
            end: self.rows.row(state).end,
            low: so_far.min(low),
        }
    }

    /// Looks at the frame's edges up to the end, or up to an unvisited target, which it returns.
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

    /// Ends the visit of a state. Returns what its parent learns: the low link, if it is open.
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
