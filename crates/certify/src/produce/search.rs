//! One depth-first search that closes strongly connected groups of states, after R. Tarjan,
//! "Depth-first search and linear graph algorithms", SIAM Journal on Computing 1(2), 1972, without
//! recursion.
//!
//! ```text
//! visit(v):  low = index[v] = position of v on the stack, from 1; push v
//!            for each edge v -> w:  if index[w] = 0: low = min(low, visit(w))
//!                                   else:            low = min(low, index[w])
//!            if low < index[v]:     keep low beside v
//!            else:                  close the states from v upwards: their index is infinite
//!            return low, or infinity if v closed a group
//! ```
//!
//! A group is a run of the stack, in the order in which the search came to its states: each but the
//! first was entered by an edge from an earlier one. Its `low` is the position of an earlier state
//! of the group, to which an edge leads, of its own or of a state that was entered from it. Groups
//! are closed before all those from which edges lead to them.
//!
//! Stack and result share their arrays: the stack grows from the front, and closed groups move to
//! the end, each before those that were closed earlier. A state is at most once in either.

use super::giant::Giant;
use super::rows::Rows;
use crate::Violation;
use bytemuck::{Pod, Zeroable};
use mdp_graph::{StateId, Table};

const UNVISITED: u32 = 0;
const CLOSED: u32 = u32::MAX;

/// The groups, each before those to which edges lead from it.
pub(super) struct Groups {
    /// The states of each group, in the order in which they were visited.
    pub(super) order: Table<StateId>,
    /// For each place in `order` how soon its state gets back to the first one of its group.
    pub(super) back: Table<u32>,
}

/// The groups of the states that are reached from `starts`, which must be all. Calls `close` with the
/// states of each group as it is found, but for `giant`, which is known to be one.
pub(super) fn groups(
    rows: Rows<'_>,
    starts: impl Iterator<Item = StateId>,
    giant: Option<&Giant>,
    mut close: impl FnMut(&[StateId]) -> Result<(), Violation>,
) -> Result<Groups, Violation> {
    let count = rows.num_states();
    let (mut index, mut path) = (Table::new(count), Table::new(count));
    let (mut order, mut back) = (Table::new(count), Table::new(count));
    let mut search = Search {
        rows,
        index: &mut index,
        order: &mut order,
        back: &mut back,
        open: 0,
        free: count,
    };
    if let Some(giant) = giant {
        // What it leads to comes later in the order, and does not lead back.
        for state in &giant.order {
            search.index[state.index()] = CLOSED;
        }
        if giant.order.len() < count {
            for &state in &giant.order {
                for &target in rows.targets(rows.row(state)) {
                    search.from(target, &mut path, &mut close)?;
                }
            }
        }
        search.place(giant);
    }
    for start in starts {
        search.from(start, &mut path, &mut close)?;
    }
    Ok(Groups { order, back })
}

/// A state whose visit has begun: the edges still to look at, and the low link so far.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Frame {
    state: StateId,
    next: u32,
    end: u32,
    low: u32,
}

struct Search<'a> {
    rows: Rows<'a>,
    /// For each state its position on the stack, from 1, [`UNVISITED`] or [`CLOSED`].
    index: &'a mut [u32],
    /// At the front, up to `open`, the stack, with the low links of those states that were left; at
    /// the end, from `free`, the closed groups.
    order: &'a mut [StateId],
    back: &'a mut [u32],
    open: usize,
    free: usize,
}

impl Search<'_> {
    /// Visits a state and what it reaches, unless that is done already.
    #[inline]
    fn from(
        &mut self,
        start: StateId,
        path: &mut [Frame],
        close: &mut impl FnMut(&[StateId]) -> Result<(), Violation>,
    ) -> Result<(), Violation> {
        if self.index[start.index()] != UNVISITED {
            return Ok(());
        }
        let mut depth = 0;
        let mut frame = self.enter(start);
        loop {
            if let Some(child) = self.scan(&mut frame) {
                path[depth] = frame;
                depth += 1;
                frame = self.enter(child);
                continue;
            }
            let low = self.leave(frame, close)?;
            if depth == 0 {
                return Ok(());
            }
            depth -= 1;
            frame = path[depth];
            frame.low = frame.low.min(low);
        }
    }

    /// Puts a group that was not searched before the closed ones.
    fn place(&mut self, giant: &Giant) {
        let end = self.free;
        self.free -= giant.order.len();
        self.order[self.free..end].copy_from_slice(&giant.order);
        let places = self.back[self.free..end].iter_mut().zip(&giant.order);
        for (back, state) in places {
            *back = giant.back[state.index()];
        }
    }

    #[inline]
    fn enter(&mut self, state: StateId) -> Frame {
        self.order[self.open] = state;
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
    ) -> Result<u32, Violation> {
        let own = self.index[frame.state.index()];
        let base = own as usize - 1;
        self.back[base] = frame.low;
        if frame.low < own {
            return Ok(frame.low);
        }
        let end = self.free;
        self.close(base);
        close(&self.order[self.free..end])?;
        Ok(CLOSED)
    }

    /// Moves the states from `base` upwards from the stack to the closed groups.
    #[inline]
    fn close(&mut self, base: usize) {
        let (order, back) = (&mut *self.order, &mut *self.back);
        let run = base..self.open;
        for state in &order[run.clone()] {
            self.index[state.index()] = CLOSED;
        }
        self.free -= run.len();
        self.open = base;
        if run.len() == 1 {
            order[self.free] = order[base];
            return;
        }
        // A group of all states is there already.
        if self.free > base {
            order.copy_within(run.clone(), self.free);
            back.copy_within(run, self.free);
        }
    }
}
