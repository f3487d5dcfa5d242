//! Strongly connected components by one depth-first search, after D. J. Pearce, "A space-efficient
//! algorithm for finding strongly connected components", Information Processing Letters 116(1),
//! 2016 (algorithm PEA_FIND_SCC2), without recursion.
//!
//! One number a state serves as visited mark, low link and component: 0 is unvisited; while a
//! state's component is open the number is the visit index of the earliest state it is known to
//! reach; then it is the component's, counted down from the top. Open indices are handed out again
//! when a component closes, so that they stay below all components' numbers. Hence the inner loop
//! reads one number an edge, and a finished target needs no test of its own.
//!
//! ```text
//! visit(v):  low = index[v] = next++
//!            for each edge v -> w:  if index[w] = 0: visit(w)
//!                                   low = min(low, index[w])
//!            if low < index[v]:     index[v] = low; push v            -- belongs to an earlier state
//!            else:                  pop all w with index[w] >= index[v]; they and v are component c--
//! ```

use super::ticker::Ticker;
use crate::Error;
use mdp_graph::{MdpGraph, StateId};

const UNVISITED: u32 = 0;

/// The first component's number; `u32::MAX` stays free for "none".
const FIRST_COMPONENT: u32 = u32::MAX - 1;

/// A state whose visit has begun: the next branch to look at, and the low link so far.
#[derive(Clone, Copy)]
struct Frame {
    state: u32,
    next: u32,
    low: u32,
}

/// A number for each state, equal for two states iff they are in the same component. Components
/// get `u32::MAX - 1`, `u32::MAX - 2`, … in reverse topological order: no edge leads from a
/// component to one with a smaller number.
pub(crate) fn sccs(graph: &MdpGraph, ticker: &mut Ticker<'_>) -> Result<Vec<u32>, Error> {
    let rows = branch_rows(graph);
    let targets = StateId::as_numbers(graph.all_targets());
    let n = graph.num_states();
    let mut search = Search {
        index: vec![UNVISITED; n],
        next_index: 1,
        next_component: FIRST_COMPONENT,
        open: Vec::new(),
        closed: 0,
    };
    let mut path: Vec<Frame> = Vec::new();

    for root in 0..n as u32 {
        if search.index[root as usize] != UNVISITED {
            continue;
        }
        let mut frame = search.enter(root, rows[root as usize]);
        loop {
            let end = rows[frame.state as usize + 1];
            if let Some(child) = search.scan(&mut frame, end, targets) {
                ticker.tick(|| search.closed)?;
                path.push(frame);
                frame = search.enter(child, rows[child as usize]);
                continue;
            }
            let low = search.leave(frame);
            let Some(parent) = path.pop() else { break };
            frame = parent;
            frame.low = frame.low.min(low);
        }
    }
    Ok(search.index)
}

struct Search {
    index: Vec<u32>,
    next_index: u32,
    next_component: u32,
    /// The states that were left but whose component is open.
    open: Vec<u32>,
    /// How many states' components are closed.
    closed: usize,
}

impl Search {
    #[inline]
    fn enter(&mut self, state: u32, next: u32) -> Frame {
        let low = self.next_index;
        self.index[state as usize] = low;
        self.next_index += 1;
        Frame { state, next, low }
    }

    /// Looks at the frame's branches up to `end`, or up to an unvisited target, which it returns.
    #[inline]
    fn scan(&self, frame: &mut Frame, end: u32, targets: &[u32]) -> Option<u32> {
        for (i, &target) in targets[frame.next as usize..end as usize]
            .iter()
            .enumerate()
        {
            let index = self.index[target as usize];
            if index == UNVISITED {
                frame.next += i as u32 + 1;
                return Some(target);
            }
            frame.low = frame.low.min(index);
        }
        None
    }

    /// Ends the visit of a state: it closes its component, or stays open. Returns what its parent
    /// learns: the earliest open state reached.
    #[inline]
    fn leave(&mut self, frame: Frame) -> u32 {
        let own = self.index[frame.state as usize];
        if frame.low < own {
            self.index[frame.state as usize] = frame.low;
            self.open.push(frame.state);
            return frame.low;
        }
        let component = self.next_component;
        let before = self.open.len();
        while let Some(&state) = self.open.last() {
            if self.index[state as usize] < own {
                break;
            }
            self.index[state as usize] = component;
            self.open.pop();
        }
        self.index[frame.state as usize] = component;
        let size = before - self.open.len() + 1;
        self.next_component -= 1;
        self.next_index -= size as u32;
        self.closed += size;
        component
    }
}

/// `n + 1` offsets of states into the branches: both levels of the graph in one look-up.
fn branch_rows(graph: &MdpGraph) -> Vec<u32> {
    let branch_offsets = graph.branch_offsets();
    graph
        .choice_offsets()
        .iter()
        .map(|&choice| branch_offsets[choice as usize])
        .collect()
}
