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

mod adaptive;
mod closing;
mod depth_first;
mod pace;
mod prefetch;
mod roots;
mod runs;
#[cfg(test)]
mod tests;
mod traversal;

use super::edges::AllEdges;
use super::giant::Giant;
use super::ticker::Ticker;
use crate::sample::EdgeSample;
use crate::{Error, Observer};
use adaptive::AdaptivePrefetch;
pub(super) use closing::close_sccs;
use depth_first::SccSearch;
use mdp_graph::{Index, Partition, Table};
use pace::Pace;
use prefetch::RootPrefetch;
use std::ops::Range;
use traversal::Traversal;

/// The number of the first component. `u32::MAX` is reserved for "none".
const FIRST_COMPONENT: u32 = u32::MAX - 1;

/// The memory per state of one search: the index, the path and the open states.
pub(super) const BYTES: usize = 4 + size_of::<depth_first::Frame>() + 4;

/// The order in which a search follows the edges of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EdgeOrder {
    FirstToLast,
    LastToFirst,
}

/// Returns the components. Those of several states get numbers from `2 n - 1` down, in reverse
/// topological order: no edge leads from a component to one with a smaller number. States that are
/// components by themselves have the mark `2 n`. (If `2 n` exceeds the range, these get numbers,
/// too, and all numbers are less than `u32::MAX`.) If all states are in one component, or each
/// state is a component by itself, the marks have no meaning.
///
/// In a model that is numbered in the order of exploration, most edges lead to later states. There
/// the search takes the last states first ([`Traversal`]), so that these are closed already. If all
/// edges lead to later states, the path never has more than one state, and memory is read in order.
///
/// A known giant component is not searched again: its core counts as a single state that is visited
/// first and has edges to all states that it reaches.
pub(super) fn sccs(
    edges: AllEdges<'_>,
    giant: Option<&Giant>,
    ticker: &mut Ticker<'_>,
) -> Result<Partition, Error> {
    search(edges, Traversal::of(edges), None, giant, ticker).map(Found::into_partition)
}

/// Like [`sccs`], without a giant, for a graph with this sample of its edges.
pub(super) fn sccs_of_whole(
    edges: AllEdges<'_>,
    sample: EdgeSample,
    ticker: &mut Ticker<'_>,
) -> Result<Partition, Error> {
    sccs_in(EdgeOrder::FirstToLast, edges, sample, ticker)
}

/// Does what [`sccs_of_whole`] does, in the given order of edges.
pub(super) fn sccs_in(
    order: EdgeOrder,
    edges: AllEdges<'_>,
    sample: EdgeSample,
    ticker: &mut Ticker<'_>,
) -> Result<Partition, Error> {
    let mut traversal = Traversal::by_sample(edges, sample);
    if order == EdgeOrder::LastToFirst {
        traversal.order.last_first = true;
        // Runs are only looked for in the other order.
        traversal.has_runs = false;
    }
    search(edges, traversal, None, None, ticker).map(Found::into_partition)
}

/// Does what [`sccs_of_whole`] does, unless the search is slow at its beginning and does not show
/// that there is no giant component. Then returns `None`.
pub(super) fn sccs_unless_slow(
    edges: AllEdges<'_>,
    sample: EdgeSample,
    ticker: &mut Ticker<'_>,
) -> Result<Option<Partition>, Error> {
    let traversal = Traversal::by_sample(edges, sample);
    if !traversal.shows_pace {
        return Ok(None);
    }
    let singles = traversal.order.leading_singles(edges, ticker)?;
    let pace = Pace::new(edges, singles, ticker);
    let found = search_states(
        edges,
        traversal,
        Scope::Whole(singles),
        &mut pace.ticker(ticker),
    );
    if pace.is_slow() {
        return Ok(None);
    }
    found.map(|found| Some(found.into_partition()))
}

/// Returns the number of each state's component, and the number of components. No edge leads to a
/// component with a greater number.
pub(super) fn sccs_in_order(
    edges: AllEdges<'_>,
    ticker: &mut Ticker<'_>,
) -> Result<(Table<u32>, usize), Error> {
    let traversal = Traversal {
        shares_lone: false,
        ..Traversal::of(edges)
    };
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

/// Like [`sccs_of_whole`], for a graph whose targets are not checked yet. Returns `None` if a
/// target is out of range.
pub(super) fn sccs_unless_wrong<I: Index>(
    edges: AllEdges<'_, I>,
    sample: EdgeSample,
    ticker: &mut Ticker<'_>,
) -> Result<Option<Partition>, Error> {
    let traversal = Traversal {
        is_checked: false,
        ..Traversal::by_sample(edges, sample)
    };
    let found = search(edges, traversal, None, None, ticker)?;
    Ok((!found.is_wrong).then(|| found.into_partition()))
}

/// Returns marks that are equal for two states iff they are in the same component, for a part of a
/// graph: states with the mark `u32::MAX` keep it, and all others have the mark 0 at first.
pub(super) fn sccs_of_rest(
    edges: AllEdges<'_>,
    index: Table<u32>,
    giant: Option<&Giant>,
    ticker: &mut Ticker<'_>,
) -> Result<Table<u32>, Error> {
    let traversal = Traversal {
        shares_lone: false,
        ..Traversal::of(edges)
    };
    Ok(search(edges, traversal, Some(index), giant, ticker)?.marks)
}

/// The result of a search.
struct Found {
    marks: Table<u32>,
    /// The marks of components: all numbers of this range.
    range: Range<u32>,
    /// The number of components of one state that have the end of the range as their mark.
    num_lone: usize,
    /// Whether a target is out of range.
    is_wrong: bool,
}

impl Found {
    /// Returns the result in which each state is a component by itself.
    fn singles(marks: Table<u32>) -> Self {
        Self {
            range: 0..marks.len() as u32,
            num_lone: 0,
            marks,
            is_wrong: false,
        }
    }

    fn into_partition(self) -> Partition {
        Partition::of_range(self.marks, self.range, self.num_lone)
    }
}

/// `index` has the marks of states that are known already; `None` if there are none.
fn search<I: Index>(
    edges: AllEdges<'_, I>,
    traversal: Traversal,
    index: Option<Table<u32>>,
    giant: Option<&Giant>,
    ticker: &mut Ticker<'_>,
) -> Result<Found, Error> {
    if index.is_some() || giant.is_some() {
        return search_states(edges, traversal, Scope::Rest { index, giant }, ticker);
    }
    let singles = traversal.order.leading_singles(edges, ticker)?;
    if singles == edges.num_states() {
        // Then the marks have no meaning: see `Partition::of_parts`.
        return Ok(Found::singles(Table::any(singles)));
    }
    search_states(edges, traversal, Scope::Whole(singles), ticker)
}

/// The states that are searched.
enum Scope<'a> {
    /// The whole graph, whose first roots are so many components by themselves.
    Whole(usize),
    /// What is unvisited by the index, around a giant.
    Rest {
        index: Option<Table<u32>>,
        giant: Option<&'a Giant>,
    },
}

fn search_states<I: Index>(
    edges: AllEdges<'_, I>,
    traversal: Traversal,
    scope: Scope<'_>,
    ticker: &mut Ticker<'_>,
) -> Result<Found, Error> {
    let n = edges.num_states();
    let (index, singles, giant) = match scope {
        Scope::Whole(singles) => (None, singles, None),
        Scope::Rest { index, giant } => (index, 0, giant),
    };
    // If a core counts as one state, indices do not tell how many states are visited.
    let all = (index.is_none() && giant.is_none()).then_some(n);
    let mut index = index.unwrap_or_else(|| Table::zeroed(n));
    let most = u32::try_from(2 * n)
        .ok()
        .filter(|&most| most <= FIRST_COMPONENT);
    let first_component = most.unwrap_or(FIRST_COMPONENT);
    // Otherwise there may not be enough numbers to tell lone states apart later.
    let lone = most.filter(|_| traversal.shares_lone);
    for (root, component) in traversal.order.roots(n).take(singles).zip(0..) {
        index[root as usize] = lone.unwrap_or(first_component - component);
    }
    let (mut path, mut open) = (Table::any(n), Table::any(n));
    // No component gets the number that lone states share.
    let first_number = first_component - u32::from(lone.is_some());
    let num_lone = if lone.is_some() { singles } else { 0 };
    let next_component = first_number - (singles - num_lone) as u32;
    let prefetch = AdaptivePrefetch::new(ticker.observer());
    let adapts = traversal.prefetches_targets;
    let (observer, period): (&dyn Observer, _) = match adapts {
        true => (&prefetch, pace::period(n).min(ticker.period())),
        false => (ticker.observer(), ticker.period()),
    };
    let ticker = ticker.observed_by(observer, period);
    let mut search = SccSearch {
        prefetches_targets: adapts.then_some(prefetch.is_on()),
        root_prefetch: RootPrefetch::new(traversal, n, edges.targets.len()),
        lone,
        num_lone,
        closed: singles,
        all: all.unwrap_or(usize::MAX),
        ..SccSearch::new(edges, traversal, (&mut index, next_component), &mut open)
    };
    if traversal.trims_sinks {
        search.trim_sinks(&ticker)?;
    }
    let search = search.all(traversal, giant, singles, &mut path, &ticker)?;
    let range = search.next_component + 1..first_number + 1;
    let (num_lone, is_wrong) = (search.num_lone, search.is_wrong);
    Ok(Found {
        marks: index,
        range,
        num_lone,
        is_wrong,
    })
}
