//! [`SccSearch`]: the depth-first search of a graph, and its state.

use super::prefetch::{RootPrefetch, UNVISITED, prefetch_targets};
use super::traversal::Traversal;
use crate::Error;
use crate::cpu::edges::AllEdges;
use crate::cpu::giant::Giant;
use crate::cpu::steps;
use crate::cpu::ticker::Ticker;
use bytemuck::{Pod, Zeroable};
use mdp_graph::{Index, SharedBits, Stack};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// A search that prefetches from the beginning to the end.
static ALWAYS: AtomicBool = AtomicBool::new(true);

/// The index of a root.
pub(super) const ROOT: u32 = 1;

/// If more than one in this many states is on the path, all edges are checked in order.
const LONG_PATH_DIVISOR: usize = 16;

/// A state on the path: the next branch to visit, and its visit index. If the last branches are
/// visited first, `next` is the end of those that are left. The index of the state is its low link.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Frame {
    pub(super) state: u32,
    pub(super) next: u32,
    pub(super) own: u32,
}

/// The state whose row is read: the branches that are left, its visit index, and its low link.
pub(super) struct Visit {
    state: u32,
    begin: usize,
    end: usize,
    own: u32,
    low: u32,
}

impl Visit {
    /// Returns the frame for the path. `LAST`: whether the last branches are visited first.
    #[inline(always)]
    fn frame<const LAST: bool>(&self) -> Frame {
        Frame {
            state: self.state,
            next: (if LAST { self.end } else { self.begin }) as u32,
            own: self.own,
        }
    }
}

/// What follows when the visit of a state has ended.
enum After {
    /// The visit of its parent goes on.
    Parent(Visit),
    /// The search from this root has ended.
    Root,
    /// All states that are not closed are one component.
    All,
}

pub(super) struct SccSearch<'a, I> {
    pub(super) rows: &'a [I],
    pub(super) targets: &'a [I],
    /// Whether the search prefetches now; `None` if it never does.
    pub(super) prefetches_targets: Option<&'a AtomicBool>,
    pub(super) root_prefetch: RootPrefetch,
    pub(super) is_checked: bool,
    /// Whether a target was found that is out of range.
    pub(super) is_wrong: bool,
    pub(super) index: &'a mut [u32],
    pub(super) next_index: u32,
    pub(super) next_component: u32,
    /// The common mark of all components of one state, if they should not have separate numbers.
    pub(super) lone: Option<u32>,
    /// The number of components with this mark.
    pub(super) num_lone: usize,
    /// The states whose visits have ended but whose components are open.
    pub(super) open: Stack<'a, u32>,
    /// The number of states whose components are closed.
    pub(super) closed: usize,
    /// The number of states that will be closed, or an upper bound if it is not known.
    pub(super) all: usize,
}

impl<'a, I: Index> SccSearch<'a, I> {
    /// Returns a search in which no state is closed yet, and the number of states that will be
    /// closed is not known. `index` has the marks of all states, and the number of the next
    /// component. `open` has room for all states.
    #[inline(always)]
    pub(super) fn new(
        edges: AllEdges<'a, I>,
        traversal: Traversal,
        (index, next_component): (&'a mut [u32], u32),
        open: &'a mut [u32],
    ) -> Self {
        Self {
            rows: edges.rows,
            targets: edges.targets,
            prefetches_targets: traversal.prefetches_targets.then_some(&ALWAYS),
            root_prefetch: RootPrefetch::default(),
            is_checked: traversal.is_checked,
            is_wrong: false,
            index,
            next_index: ROOT,
            next_component,
            lone: None,
            num_lone: 0,
            open: Stack::new(open),
            closed: 0,
            all: usize::MAX,
        }
    }

    /// Visits all states, beginning with those that a giant component is known to reach. The first
    /// `taken` roots are closed already.
    pub(super) fn all(
        mut self,
        traversal: Traversal,
        giant: Option<&Giant>,
        taken: usize,
        path: &'a mut [Frame],
        ticker: &Ticker<'_>,
    ) -> Result<Self, Error> {
        if let Some(giant) = giant {
            self = self.visit_reached(giant, path, ticker)?;
        }
        let prefetches = traversal.prefetches_targets || traversal.prefetches_roots;
        let order = traversal.order;
        let visit_all = match (order.ascends, order.last_first, prefetches) {
            (true, _, _) if traversal.has_runs => Self::all_from::<true, true, false, false>,
            (false, _, _) if traversal.has_runs => Self::all_from::<true, false, false, false>,
            (true, false, false) => Self::all_from::<false, true, false, false>,
            (true, false, true) => Self::all_from::<false, true, false, true>,
            (true, true, false) => Self::all_from::<false, true, true, false>,
            (true, true, true) => Self::all_from::<false, true, true, true>,
            (false, false, false) => Self::all_from::<false, false, false, false>,
            (false, false, true) => Self::all_from::<false, false, false, true>,
            (false, true, false) => Self::all_from::<false, false, true, false>,
            (false, true, true) => Self::all_from::<false, false, true, true>,
        };
        let (mut search, path) = visit_all(self, taken, path, ticker)?;
        if let Some(path) = path {
            search.close_all(path);
        }
        Ok(search)
    }

    /// Visits the states that a giant component is known to reach, whose core counts as one state.
    #[inline(never)]
    fn visit_reached(
        self,
        giant: &Giant,
        path: &mut [Frame],
        ticker: &Ticker<'_>,
    ) -> Result<Self, Error> {
        let (mut search, mut path, mut ticker) = (self, Stack::new(path), ticker.same());
        search.open_core(&giant.core);
        for root in giant.reached.descending() {
            if search.index[root as usize] == UNVISITED {
                search.from::<false, false, true>(root, &mut path, &mut ticker)?;
            }
        }
        search.close_core(&giant.core);
        Ok(search)
    }

    /// Visits all states from the roots after the first `taken` ones. `RUNS`: whether to look for
    /// [`runs`](super::runs). `ASCENDS`, `LAST`: the [order](super::traversal::Order). `PREFETCH`:
    /// whether to prefetch anything. If all states that are not closed are found to be one
    /// component, the search ends early, and the path is returned as well.
    ///
    /// Each of these functions is compiled by itself, and no function that is not inlined gets a
    /// reference to the search. So its state stays in registers, which makes a difference of a
    /// fifth if the data of a graph are in a cache.
    #[inline(never)]
    fn all_from<const RUNS: bool, const ASCENDS: bool, const LAST: bool, const PREFETCH: bool>(
        self,
        taken: usize,
        path: &'a mut [Frame],
        ticker: &Ticker<'_>,
    ) -> Result<(Self, Option<Stack<'a, Frame>>), Error> {
        let mut search = Self { ..self };
        let (mut path, mut ticker) = (Stack::new(path), ticker.same());
        let n = search.index.len() as u32;
        for number in taken as u32..n {
            let root = if ASCENDS { number } else { n - 1 - number };
            if search.index[root as usize] != UNVISITED {
                continue;
            }
            if PREFETCH && search.root_prefetch.is_due(root) {
                let prefetch = search.root_prefetch;
                prefetch.prefetch(root, search.index, search.rows, search.targets);
            }
            if search.close_root(root) {
                ticker.tick(|| search.closed)?;
                continue;
            }
            if search.from::<RUNS, LAST, PREFETCH>(root, &mut path, &mut ticker)? {
                return Ok((search, Some(path)));
            }
            if search.closed == search.all {
                break;
            }
        }
        Ok((search, None))
    }

    /// Visits an unvisited root and all unvisited states that it reaches. Returns whether all
    /// states that are not closed are found to be one component; then the search ends early.
    #[inline(always)]
    fn from<const RUNS: bool, const LAST: bool, const PREFETCH: bool>(
        &mut self,
        root: u32,
        path: &mut Stack<'_, Frame>,
        ticker: &mut Ticker<'_>,
    ) -> Result<bool, Error> {
        ticker.tick(|| self.closed)?;
        let mut visit = self.enter::<PREFETCH>(root);
        loop {
            let Some(state) = self.scan::<LAST>(&mut visit) else {
                match self.leave_and_return::<RUNS, LAST>(&visit, path) {
                    After::Parent(parent) => visit = parent,
                    After::Root => return Ok(false),
                    After::All => return Ok(true),
                }
                continue;
            };
            if state as usize >= self.index.len() {
                self.is_wrong = true;
                continue;
            }
            ticker.tick(|| self.closed)?;
            if RUNS && self.is_start_of_run(visit.state, state) {
                visit = self.follow_run(visit.state, state, path, ticker)?;
                continue;
            }
            self.index[visit.state as usize] = visit.low;
            path.push(visit.frame::<LAST>());
            visit = self.enter::<PREFETCH>(state);
        }
    }

    /// Ends the visit of a state, and returns to its parent, if it has one and there are unvisited
    /// states.
    #[inline(always)]
    fn leave_and_return<const RUNS: bool, const LAST: bool>(
        &mut self,
        visit: &Visit,
        path: &mut Stack<'_, Frame>,
    ) -> After {
        let mut low = self.leave(visit.state, visit.own, visit.low);
        if low == ROOT && self.is_all_visited() {
            return After::All;
        }
        loop {
            let Some(parent) = path.pop() else {
                return After::Root;
            };
            if RUNS && parent.is_run() {
                low = self.leave_run(parent, low);
                continue;
            }
            return After::Parent(self.resume::<LAST>(parent, low));
        }
    }

    #[inline(always)]
    pub(super) fn row(&self, state: u32) -> &[I] {
        let state = state as usize;
        &self.targets[self.rows[state].as_usize()..self.rows[state + 1].as_usize()]
    }

    #[inline]
    fn is_all_visited(&self) -> bool {
        self.closed + (self.next_index - ROOT) as usize == self.all
    }

    /// Closes the last component, which consists of all states that are open or on the path.
    #[cold]
    fn close_all(&mut self, mut path: Stack<'_, Frame>) {
        if !self.is_checked {
            self.is_wrong |= !self.are_rests_right(&path);
        }
        let component = self.take_number();
        self.next_index = ROOT;
        // If there is only one component, the marks have no meaning: see `Partition::of_parts`.
        if self.closed > 0 {
            for &mut state in self.open.pop_while(|_| true) {
                self.index[state as usize] = component;
            }
            for &mut frame in path.pop_while(|_| true) {
                for state in frame.states() {
                    self.index[state as usize] = component;
                }
            }
        }
        self.closed = self.all;
    }

    /// Returns whether the targets of the unvisited edges are in range. These are the remaining
    /// edges of the states on the path. If there are many of them, it is faster to check all edges
    /// in order.
    fn are_rests_right(&self, path: &Stack<'_, Frame>) -> bool {
        let n = self.index.len();
        if path.values().len() > n / LONG_PATH_DIVISOR {
            return I::are_below(self.targets, n);
        }
        let states = path.values().iter().filter(|frame| !frame.is_run());
        let mut rows = states.map(|frame| self.row(frame.state));
        rows.all(|targets| targets.iter().all(|target| target.as_usize() < n))
    }

    /// Opens the states of a core as a single state, which is visited first.
    #[inline(always)]
    fn open_core(&mut self, core: &SharedBits) {
        for state in core.descending() {
            self.index[state as usize] = self.next_index;
        }
        self.next_index += 1;
    }

    /// Closes the component of the core. All open states belong to it.
    #[inline(always)]
    fn close_core(&mut self, core: &SharedBits) {
        self.next_index = ROOT;
        let component = self.take_number();
        for &mut state in self.open.pop_while(|_| true) {
            self.index[state as usize] = component;
            self.closed += 1;
        }
        for state in core.descending() {
            self.index[state as usize] = component;
            self.closed += 1;
        }
    }

    #[inline(always)]
    pub(super) fn enter<const PREFETCH: bool>(&mut self, state: u32) -> Visit {
        let own = self.next_index;
        self.index[state as usize] = own;
        self.next_index += 1;
        let begin = self.rows[state as usize].as_usize();
        let end = self.rows[state as usize + 1].as_usize();
        // The data of a single target are read next in any case.
        if PREFETCH
            && let Some(prefetches) = self.prefetches_targets
            && end - begin > 1
            && prefetches.load(Relaxed)
        {
            prefetch_targets(self.index, self.rows, self.targets, begin..end);
        }
        Visit {
            state,
            begin,
            end,
            own,
            low: own,
        }
    }

    /// Goes on with the visit of a state on the path. `low` is the index of the earliest open state
    /// that its last child reached.
    #[inline(always)]
    fn resume<const LAST: bool>(&self, frame: Frame, low: u32) -> Visit {
        let (state, next) = (frame.state as usize, frame.next as usize);
        let (begin, end) = match LAST {
            true => (self.rows[state].as_usize(), next),
            false => (next, self.rows[state + 1].as_usize()),
        };
        Visit {
            state: frame.state,
            begin,
            end,
            own: frame.own,
            low: self.index[state].min(low),
        }
    }

    /// Visits the branches that are left, up to a target that is unvisited or out of range. Returns
    /// this target.
    #[inline(always)]
    fn scan<const LAST: bool>(&self, visit: &mut Visit) -> Option<u32> {
        let targets = &self.targets[visit.begin..visit.end];
        match LAST {
            true => {
                let (low, seen, found) = self.first_unvisited(targets.iter().rev(), visit.low);
                (visit.low, visit.end) = (low, visit.end - seen);
                found
            }
            false => {
                let (low, seen, found) = self.first_unvisited(targets.iter(), visit.low);
                (visit.low, visit.begin) = (low, visit.begin + seen);
                found
            }
        }
    }

    /// Returns the least of `low` and the indices of the targets before the first one that is
    /// unvisited or out of range, the number of targets up to this one, and this one. All of that
    /// is kept in registers meanwhile.
    #[inline(always)]
    fn first_unvisited<'b>(
        &self,
        targets: impl ExactSizeIterator<Item = &'b I>,
        mut low: u32,
    ) -> (u32, usize, Option<u32>)
    where
        I: 'b,
    {
        let len = targets.len();
        for (before, target) in targets.enumerate() {
            steps::count(1);
            let target = target.as_usize();
            match self.index.get(target) {
                Some(&index) if index != UNVISITED => low = low.min(index),
                _ => {
                    return (
                        low,
                        before + 1,
                        Some(u32::try_from(target).unwrap_or(u32::MAX)),
                    );
                }
            }
        }
        (low, len, None)
    }

    /// Ends the visit of a state, which closes its component or stays open. Returns the index of
    /// the earliest open state that was reached, for the parent.
    #[inline(always)]
    pub(super) fn leave(&mut self, state: u32, own: u32, low: u32) -> u32 {
        if low < own {
            self.index[state as usize] = low;
            self.open.push(state);
            return low;
        }
        let component = self.next_component;
        let index = &mut *self.index;
        let members = self.open.pop_while(|state| {
            let member = index[state as usize] >= own;
            if member {
                index[state as usize] = component;
            }
            member
        });
        steps::count(members.len() as u32 + 1);
        self.closed += members.len() + 1;
        let is_lone = members.is_empty();
        self.index[state as usize] = match is_lone {
            true => self.mark_of_lone(),
            false => self.take_number(),
        };
        self.next_index = own;
        component
    }

    /// Returns the mark of the next component, which has several states.
    #[inline(always)]
    pub(super) fn take_number(&mut self) -> u32 {
        let component = self.next_component;
        self.next_component -= 1;
        component
    }

    /// Returns the mark of the next component, which has one state.
    #[inline(always)]
    pub(super) fn mark_of_lone(&mut self) -> u32 {
        match self.lone {
            Some(lone) => {
                self.num_lone += 1;
                lone
            }
            None => self.take_number(),
        }
    }
}
