//! Strongly connected components by one depth-first search, after D. J. Pearce, "A space-efficient
//! algorithm for finding strongly connected components", Information Processing Letters 116(1),
//! 2016 (algorithm PEA_FIND_SCC2), without recursion.
//!
//! One number per state serves as visited mark, low link and component. 0 means unvisited. While
//! the component of a state is open, the number is the visit index of the earliest state that the
//! state is known to reach. Afterwards it is the number of the component, counted down from the
//! greatest number. When a component closes, its visit indices are used again, so that they stay
//! below the numbers of all components. Hence the inner loop reads one number per edge, and needs
//! no separate test for finished targets.
//!
//! ```text
//! visit(v):  own = index[v] = next++
//!            for each edge v -> w:  if index[w] = 0: visit(w)
//!                                   index[v] = min(index[v], index[w])
//!            if index[v] < own:     push v: it belongs to an earlier state
//!            else:                  pop all w with index[w] >= own: these and v are a component
//! ```
//!
//! While the row of a state is read, its low link is in a register. It is written to memory before
//! the search goes on to a child. So a state that finds an edge to the path learns at once how far
//! back that path is known to lead, and the search of a strongly connected graph often ends without
//! a return along the path.
//!
//! Three shortcuts save most of the work on simple graphs. First, a root without an unvisited
//! target is closed at once, as a component by itself; so is a root with another state, if each of
//! the two is the only unvisited target of the other. Second, states that follow one another are
//! visited as one ([`runs`]). Third, once every state is visited, the search ends as soon as a
//! state is found to reach the root. Then all states on the path and all open states reach the
//! root, too, and are its component.
//!
//! If many states have no edge, a separate pass closes these before the search ([`roots`]).

mod acyclic;
mod ahead;
mod roots;
mod runs;
#[cfg(test)]
mod tests;
mod traversal;
mod trial;

use super::edges::All;
use super::giant::Giant;
use super::steps;
use super::ticker::Ticker;
use crate::Error;
use crate::sample::EdgeSample;
pub(super) use acyclic::close_acyclic;
use ahead::{RootsAhead, UNVISITED, look_at};
use bytemuck::{Pod, Zeroable};
use mdp_graph::{Index, Partition, Scratch, SharedBits, Stack, Table};
use std::ops::Range;
use traversal::Traversal;
use trial::Trials;

/// The index of a root.
const ROOT: u32 = 1;

/// The number of the first component. `u32::MAX` is reserved for "none".
const FIRST_COMPONENT: u32 = u32::MAX - 1;

/// If more than one in this many states is on the path, all edges are checked in order.
const LONG_PATH_DIVISOR: usize = 16;

/// A state on the path: the next branch to visit, and its visit index. If the last branches are
/// visited first, `next` is the end of those that are left. The index of the state is its low link.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Frame {
    state: u32,
    next: u32,
    own: u32,
}

/// The state whose row is read: the branches that are left, its visit index, and its low link.
struct Visit {
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

/// Returns a number for each state, equal for two states iff they are in the same component.
/// Components get numbers from `2 n` down to `n + 1`, in reverse topological order: no edge leads
/// from a component to one with a smaller number. (If `2 n` exceeds the range, all numbers are less
/// than `u32::MAX`.) If all states are in one component, or each state is a component by itself,
/// the numbers have no meaning.
///
/// The search takes the last states first, unless edges lead far or back ([`Traversal`]). In a
/// model that is numbered in the order of exploration, most edges lead to later states, which are
/// then closed already. If all edges do, the path never has more than one state, and memory is read
/// in order.
///
/// A known giant component is not searched again: its core counts as a single state that is visited
/// first and has edges to all states that it reaches.
pub(super) fn sccs(
    edges: All<'_>,
    giant: Option<&Giant>,
    ticker: &mut Ticker<'_>,
) -> Result<Partition, Error> {
    let found = search(edges, Traversal::of(edges), None, giant, ticker)?;
    Ok(Partition::of_range(found.marks, found.range))
}

/// Like [`sccs`], without a giant, for a graph with this sample of its edges.
pub(super) fn sccs_of_whole(
    edges: All<'_>,
    sample: EdgeSample,
    ticker: &mut Ticker<'_>,
) -> Result<Partition, Error> {
    let traversal = Traversal::by_sample(edges, sample);
    let found = search(edges, traversal, None, None, ticker)?;
    Ok(Partition::of_range(found.marks, found.range))
}

/// Does what [`sccs_of_whole`] does, unless the search is slow at its beginning and does not show
/// that there is no giant component. Then returns `None`.
pub(super) fn sccs_unless_slow(
    edges: All<'_>,
    sample: EdgeSample,
    ticker: &mut Ticker<'_>,
) -> Result<Option<Partition>, Error> {
    let traversal = Traversal::by_sample(edges, sample);
    if !traversal.tries_orders {
        return Ok(None);
    }
    let singles = traversal.order.leading_singles(edges, ticker)?;
    let trials = Trials::new(edges, traversal, singles, ticker).unless_slow(edges);
    let found = search_part(edges, traversal, Part::Whole(singles, &trials), ticker);
    if trials.are_given_up() {
        return Ok(None);
    }
    found.map(|found| Some(Partition::of_range(found.marks, found.range)))
}

/// Returns the number of each state's component, and the number of components. No edge leads to a
/// component with a greater number.
pub(super) fn sccs_in_order(
    edges: All<'_>,
    ticker: &mut Ticker<'_>,
) -> Result<(Table<u32>, usize), Error> {
    let traversal = Traversal::of(edges);
    let found = search(edges, traversal, None, None, ticker)?;
    let (mut marks, range) = (found.marks, found.range);
    let last = marks.len().wrapping_sub(1) as u32;
    let number = |(state, mark): (u32, u32)| match range.len() {
        1 => 0,
        // Each state is a component by itself, and no mark was needed.
        _ if range.start == 0 && traversal.order.ascends => state,
        _ if range.start == 0 => last - state,
        _ => range.end - 1 - mark,
    };
    for (state, mark) in (0..).zip(marks.iter_mut()) {
        *mark = number((state, *mark));
    }
    Ok((marks, range.len()))
}

/// Like [`sccs_of_whole`], for a graph whose targets are not checked yet. Returns `None` if a target is out
/// of range.
pub(super) fn sccs_unless_wrong<I: Index>(
    edges: All<'_, I>,
    sample: EdgeSample,
    ticker: &mut Ticker<'_>,
) -> Result<Option<Partition>, Error> {
    let traversal = Traversal {
        is_checked: false,
        ..Traversal::by_sample(edges, sample)
    };
    let found = search(edges, traversal, None, None, ticker)?;
    Ok((!found.is_wrong).then(|| Partition::of_range(found.marks, found.range)))
}

/// Like [`sccs`], for a part of a graph: states with the mark `u32::MAX` keep it, and all others
/// have the mark 0 at first.
pub(super) fn sccs_of_rest(
    edges: All<'_>,
    index: Table<u32>,
    giant: Option<&Giant>,
    ticker: &mut Ticker<'_>,
) -> Result<Table<u32>, Error> {
    Ok(search(edges, Traversal::of(edges), Some(index), giant, ticker)?.marks)
}

/// The result of a search.
struct Found {
    marks: Table<u32>,
    /// The range of the marks of components.
    range: Range<u32>,
    /// Whether a target is out of range.
    is_wrong: bool,
}

impl Found {
    /// Returns the result in which each state is a component by itself.
    fn singles(marks: Table<u32>) -> Self {
        Self {
            range: 0..marks.len() as u32,
            marks,
            is_wrong: false,
        }
    }
}

/// `index` has the marks of states that are known already; `None` if there are none.
fn search<I: Index>(
    edges: All<'_, I>,
    traversal: Traversal,
    index: Option<Table<u32>>,
    giant: Option<&Giant>,
    ticker: &mut Ticker<'_>,
) -> Result<Found, Error> {
    if index.is_some() || giant.is_some() {
        return search_part(edges, traversal, Part::Rest { index, giant }, ticker);
    }
    let singles = traversal.order.leading_singles(edges, ticker)?;
    if singles == edges.num_states() {
        // Then the marks have no meaning: see `Partition::of_parts`.
        return Ok(Found::singles(Table::any(singles)));
    }
    let trials = Trials::new(edges, traversal, singles, ticker);
    search_part(edges, traversal, Part::Whole(singles, &trials), ticker)
}

/// The part of a graph that is searched.
enum Part<'a> {
    /// The whole graph, whose first roots are so many components by themselves.
    Whole(usize, &'a Trials<'a>),
    /// What is unvisited by the index, around a giant.
    Rest {
        index: Option<Table<u32>>,
        giant: Option<&'a Giant>,
    },
}

fn search_part<I: Index>(
    edges: All<'_, I>,
    traversal: Traversal,
    part: Part<'_>,
    ticker: &mut Ticker<'_>,
) -> Result<Found, Error> {
    let n = edges.num_states();
    let no_trials = Trials::new(edges, traversal.without_trials(), 0, ticker);
    let (index, singles, giant, trials) = match part {
        Part::Whole(singles, trials) => (None, singles, None, trials),
        Part::Rest { index, giant } => (index, 0, giant, &no_trials),
    };
    // If a core counts as one state, indices do not tell how many states are visited.
    let all = (index.is_none() && giant.is_none()).then_some(n);
    let mut index = index.unwrap_or_else(|| Table::zeroed(n));
    let most = u32::try_from(2 * n);
    let first_component = most.map_or(FIRST_COMPONENT, |most| most.min(FIRST_COMPONENT));
    for (root, component) in traversal.order.roots(n).take(singles).zip(0..) {
        index[root as usize] = first_component - component;
    }
    let (mut path, mut open) = (Scratch::new(n), Scratch::new(n));
    let next_component = first_component - singles as u32;
    let mut search = SccSearch {
        closed: singles,
        all: all.unwrap_or(usize::MAX),
        ..SccSearch::new(edges, traversal, (&mut index, next_component), &mut open)
    };
    if traversal.trims_sinks {
        search.trim_sinks(ticker)?;
    }
    let mut path = Stack::new(&mut path);
    let mut timed = trials.ticker(ticker);
    loop {
        let order = trials.order();
        let mut roots = order.roots(n);
        if order.ascends == traversal.order.ascends {
            roots.by_ref().take(singles).for_each(drop);
        }
        let traversal = Traversal { order, ..traversal };
        match search.all(traversal, giant, &mut roots, &mut path, &mut timed) {
            Err(Error::Cancelled) if trials.take_stop() => search.give_up(&mut path),
            found => break found?,
        }
    }
    ticker.go_on_from(&timed);
    let range = search.next_component + 1..first_component + 1;
    let is_wrong = search.is_wrong;
    Ok(Found {
        marks: index,
        range,
        is_wrong,
    })
}

struct SccSearch<'a, I> {
    rows: &'a [I],
    targets: &'a [I],
    /// See [`Traversal`].
    looks_ahead: bool,
    ahead: RootsAhead,
    is_checked: bool,
    /// Whether a target was found that is out of range.
    is_wrong: bool,
    index: &'a mut [u32],
    next_index: u32,
    next_component: u32,
    /// The common number of all components of one state, if they should not have separate numbers.
    lone: Option<u32>,
    /// The states whose visits have ended but whose components are open.
    open: Stack<'a, u32>,
    /// The number of states whose components are closed.
    closed: usize,
    /// The number of states that will be closed, or an upper bound if it is not known.
    all: usize,
}

impl<'a, I: Index> SccSearch<'a, I> {
    /// Returns a search in which no state is closed yet, and the number of states that will be
    /// closed is not known. `index` has the marks of all states, and the number of the next
    /// component. `open` has room for all states.
    #[inline(always)]
    fn new(
        edges: All<'a, I>,
        traversal: Traversal,
        (index, next_component): (&'a mut [u32], u32),
        open: &'a mut [u32],
    ) -> Self {
        Self {
            rows: edges.rows,
            targets: edges.targets,
            looks_ahead: traversal.looks_ahead,
            ahead: RootsAhead::default(),
            is_checked: traversal.is_checked,
            is_wrong: false,
            index,
            next_index: ROOT,
            next_component,
            lone: None,
            open: Stack::new(open),
            closed: 0,
            all: usize::MAX,
        }
    }
}

impl<I: Index> SccSearch<'_, I> {
    /// Visits all states, beginning with those that a giant component is known to reach. If the
    /// ticker stops that, all visited states whose components are not closed are open or on the
    /// path.
    #[inline(always)]
    fn all(
        &mut self,
        traversal: Traversal,
        giant: Option<&Giant>,
        roots: &mut impl Iterator<Item = u32>,
        path: &mut Stack<'_, Frame>,
        ticker: &mut Ticker<'_>,
    ) -> Result<(), Error> {
        self.ahead = RootsAhead::new(traversal, self.index.len(), self.targets.len());
        match (traversal.has_runs, traversal.order.last_first) {
            (true, false) => self.all_from::<true, false>(giant, roots, path, ticker),
            (true, true) => self.all_from::<true, true>(giant, roots, path, ticker),
            (false, false) => self.all_from::<false, false>(giant, roots, path, ticker),
            (false, true) => self.all_from::<false, true>(giant, roots, path, ticker),
        }
    }

    /// Does what [`all`](Self::all) does. `RUNS`: whether to look for [`runs`]. `LAST`: whether to
    /// follow the last edge of a state first.
    #[inline(always)]
    fn all_from<const RUNS: bool, const LAST: bool>(
        &mut self,
        giant: Option<&Giant>,
        roots: &mut impl Iterator<Item = u32>,
        path: &mut Stack<'_, Frame>,
        ticker: &mut Ticker<'_>,
    ) -> Result<(), Error> {
        if let Some(giant) = giant {
            self.open_core(&giant.core);
            for root in giant.reached.descending() {
                self.from::<RUNS, LAST>(root, path, ticker)?;
            }
            self.close_core(&giant.core);
        }
        while let Some(root) = self.next_root(roots, ticker)? {
            self.from::<RUNS, LAST>(root, path, ticker)?;
        }
        Ok(())
    }

    /// Visits `root` and all unvisited states that it reaches. This function is inlined, so that
    /// the state of the search stays in registers.
    #[inline(always)]
    fn from<const RUNS: bool, const LAST: bool>(
        &mut self,
        root: u32,
        path: &mut Stack<'_, Frame>,
        ticker: &mut Ticker<'_>,
    ) -> Result<(), Error> {
        if self.index[root as usize] != UNVISITED {
            return Ok(());
        }
        ticker.tick(|| self.closed)?;
        let mut visit = self.enter::<LAST>(root);
        loop {
            let Some(state) = self.scan::<LAST>(&mut visit) else {
                match self.leave_and_return::<RUNS, LAST>(&visit, path) {
                    None => return Ok(()),
                    Some(parent) => visit = parent,
                }
                continue;
            };
            if state as usize >= self.index.len() {
                self.is_wrong = true;
                continue;
            }
            if let Err(stopped) = ticker.tick(|| self.closed) {
                path.push(visit.frame::<LAST>());
                return Err(stopped);
            }
            if RUNS && self.is_start_of_run(visit.state, state) {
                visit = self.follow_run::<LAST>(visit.state, state, path, ticker)?;
                continue;
            }
            self.index[visit.state as usize] = visit.low;
            path.push(visit.frame::<LAST>());
            visit = self.enter::<LAST>(state);
        }
    }

    /// Ends the visit of a state. Returns to its parent, if it has one and there are unvisited
    /// states.
    #[inline(always)]
    fn leave_and_return<const RUNS: bool, const LAST: bool>(
        &mut self,
        visit: &Visit,
        path: &mut Stack<'_, Frame>,
    ) -> Option<Visit> {
        let mut low = self.leave(visit.state, visit.own, visit.low);
        if low == ROOT && self.is_all_visited() {
            self.close_all(path);
            return None;
        }
        loop {
            let parent = path.pop()?;
            if RUNS && parent.is_run() {
                low = self.leave_run(parent, low);
                continue;
            }
            return Some(self.resume::<LAST>(parent, low));
        }
    }

    #[inline(always)]
    fn row(&self, state: u32) -> &[I] {
        let state = state as usize;
        &self.targets[self.rows[state].place()..self.rows[state + 1].place()]
    }

    #[inline]
    fn is_all_visited(&self) -> bool {
        self.closed + (self.next_index - ROOT) as usize == self.all
    }

    /// Makes all states unvisited that are open or on the path.
    #[cold]
    fn give_up(&mut self, path: &mut Stack<'_, Frame>) {
        for &mut state in self.open.pop_while(|_| true) {
            self.index[state as usize] = UNVISITED;
        }
        for &mut frame in path.pop_while(|_| true) {
            for state in frame.states() {
                self.index[state as usize] = UNVISITED;
            }
        }
        self.next_index = ROOT;
    }

    /// Closes the last component, which consists of all states that are open or on the path.
    #[cold]
    fn close_all(&mut self, path: &mut Stack<'_, Frame>) {
        if !self.is_checked {
            self.is_wrong |= !self.are_rests_right(path);
        }
        let component = self.next_component;
        self.next_component -= 1;
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
        rows.all(|targets| targets.iter().all(|target| target.place() < n))
    }

    /// Opens the states of a core as a single state, which is visited first.
    fn open_core(&mut self, core: &SharedBits) {
        for state in core.descending() {
            self.index[state as usize] = self.next_index;
        }
        self.next_index += 1;
    }

    /// Closes the component of the core. All open states belong to it.
    fn close_core(&mut self, core: &SharedBits) {
        self.next_index = ROOT;
        let component = self.next_component;
        for &mut state in self.open.pop_while(|_| true) {
            self.index[state as usize] = component;
            self.closed += 1;
        }
        for state in core.descending() {
            self.index[state as usize] = component;
            self.closed += 1;
        }
        self.next_component -= 1;
    }

    #[inline(always)]
    fn enter<const LAST: bool>(&mut self, state: u32) -> Visit {
        let own = self.next_index;
        self.index[state as usize] = own;
        self.next_index += 1;
        let begin = self.rows[state as usize].place();
        let end = self.rows[state as usize + 1].place();
        // The data of a single target are read next in any case.
        if self.looks_ahead && end - begin > 1 {
            look_at(self.index, self.rows, self.targets, begin..end);
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
            true => (self.rows[state].place(), next),
            false => (next, self.rows[state + 1].place()),
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
        let mut look = |target: &I| {
            match LAST {
                true => visit.end -= 1,
                false => visit.begin += 1,
            }
            steps::count(1);
            let target = target.place();
            match self.index.get(target) {
                Some(&index) if index != UNVISITED => {
                    visit.low = visit.low.min(index);
                    None
                }
                _ => Some(u32::try_from(target).unwrap_or(u32::MAX)),
            }
        };
        match LAST {
            true => targets.iter().rev().find_map(look),
            false => targets.iter().find_map(&mut look),
        }
    }

    /// Ends the visit of a state, which closes its component or stays open. Returns the index of
    /// the earliest open state that was reached, for the parent.
    #[inline(always)]
    fn leave(&mut self, state: u32, own: u32, low: u32) -> u32 {
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
        index[state as usize] = match self.lone {
            Some(lone) if members.is_empty() => lone,
            _ => component,
        };
        self.next_component -= 1;
        self.next_index = own;
        component
    }
}
