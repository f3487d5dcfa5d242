//! The decompositions on the CPU.
//!
//! | search | SCCs | MECs |
//! | --- | --- | --- |
//! | `auto` | [`functional`], if no state has more than one successor, or none has more than one predecessor; [`numbered`], if the numbers of the states show that the graph is one component; [`ranges`] on many threads, if edges lead nearby, and where these are given up one thread, unless it is very slow; otherwise sweeps on all threads that look for a [`giant`] component, which many threads go on with as in [`mod@follow`]; then [`pearce`] on one thread, or [`cells`] on many threads | [`functional`] as for SCCs; [`bottom`], if no state has two choices; [`ranges`] and [`regions`] on many threads, if edges lead nearby, or [`giant`] and [`regions`] where these are given up; otherwise sweeps ([`closed`]), then [`pearce`], which closes states on no cycle, then [`mod@mec`]; on many threads [`cells`] and [`regions`] |
//! | `tarjan` | [`tarjan`] | [`basic`], the papers' baseline, which searches the whole graph in each round |

mod basic;
mod bottom;
mod cached;
mod cells;
mod closed;
mod edges;
mod follow;
mod forward;
mod functional;
mod giant;
mod interleave;
mod lockstep;
mod marks;
mod mec;
mod numbered;
mod parallel;
mod pearce;
mod quotient;
mod ranges;
mod regions;
mod sources;
mod steps;
mod sweep;
mod tarjan;
#[cfg(test)]
mod tests;
mod threads;
mod ticker;
mod trim;

use crate::sample::EdgeSample;
use crate::{Error, Observer, Options, Phase, Search};
use closed::Closed;
use edges::All;
use giant::{First, Giant};
use mdp_graph::{
    ComponentKind, Components, Index, MdpGraph, Partition, SharedBits, StateId, StateRows, Table,
    UncheckedRows,
};
use parallel::Limits;
pub(crate) use parallel::{pays_to_search_ranges, pays_to_search_together};
use ticker::Ticker;

pub(crate) fn scc(graph: &MdpGraph, options: &Options<'_>) -> Result<Components, Error> {
    let sample = || EdgeSample::of(graph);
    let (mut ticker, limits, by_sweeps) =
        begin(Size::of(graph, &sample), ComponentKind::Scc, options)?;
    let found = match options.search {
        Search::Auto => {
            let rows = StateRows::new(graph);
            auto_sccs(All::new(graph, &rows), by_sweeps, limits, &mut ticker)?
        }
        Search::Tarjan => tarjan::sccs(graph, &tarjan::Everything, &mut ticker)?.into(),
        search @ (Search::Fbt | Search::Bfbt) => return Err(unsupported(search)),
    };
    Ok(Components::from_scc_marks(graph, found))
}

/// Returns the number of strongly connected components of a graph, and the component of each state.
pub(crate) fn scc_numbers<I: Index>(
    rows: &UncheckedRows<I>,
    observer: &dyn Observer,
) -> Result<(usize, Table<u32>), Error> {
    let edges = All {
        rows: rows.offsets(),
        targets: rows.targets(),
    };
    let size = Size {
        states: edges.num_states(),
        choices: 0,
        branches: edges.targets.len(),
        sample: &|| edges.sample(),
    };
    let options = Options {
        observer,
        ..Options::default()
    };
    let (mut ticker, limits, by_sweeps) = begin(size, ComponentKind::Scc, &options)?;
    // The search by one thread visits each edge once, so it can check the targets itself, without
    // an extra pass.
    let by_one = limits
        .threads_for_size(size.states, size.branches)
        .is_none()
        && limits.threads_for_ranges(edges).is_none()
        && !(by_sweeps && first_by_sweeps(edges).is_some())
        && !functional::is_candidate(edges);
    if by_one {
        if numbered::is_one_component(edges, &ticker)? {
            return Ok(Partition::one(size.states).into_numbers());
        }
        if let Some(found) = pearce::sccs_unless_wrong(edges, &mut ticker)? {
            return Ok(found.into_numbers());
        }
    }
    let rows = rows.check().map_err(Error::InvalidRows)?;
    let edges = All {
        rows: rows.offsets(),
        targets: StateId::as_numbers(rows.targets()),
    };
    let found = auto_sccs(edges, by_sweeps, limits, &mut ticker)?;
    Ok(found.into_numbers())
}

pub(crate) fn mec(graph: &MdpGraph, options: &Options<'_>) -> Result<Components, Error> {
    let sample = || EdgeSample::of(graph);
    let kind = match options.search {
        Search::Auto => kind_to_search(graph),
        _ => ComponentKind::Mec,
    };
    let (mut ticker, limits, by_sweeps) = begin(Size::of(graph, &sample), kind, options)?;
    let marks = match options.search {
        Search::Auto => auto_mecs(graph, kind, (by_sweeps, limits), &mut ticker)?,
        Search::Tarjan => basic::mecs(graph, &mut ticker)?.into(),
        search @ (Search::Fbt | Search::Bfbt) => return Err(unsupported(search)),
    };
    Ok(Components::from_mec_marks(marks))
}

/// The size of a graph, and how to sample its edges.
#[derive(Clone, Copy)]
struct Size<'a> {
    states: usize,
    choices: usize,
    branches: usize,
    sample: &'a dyn Fn() -> EdgeSample,
}

impl<'a> Size<'a> {
    fn of(graph: &MdpGraph, sample: &'a dyn Fn() -> EdgeSample) -> Self {
        Self {
            states: graph.num_states(),
            choices: graph.num_choices(),
            branches: graph.num_branches(),
            sample,
        }
    }
}

/// Prepares a search, if there is enough memory. Returns what reports progress, when several
/// threads are faster than one, and whether sweeps may be.
fn begin<'a>(
    size: Size<'_>,
    kind: ComponentKind,
    options: &Options<'a>,
) -> Result<(Ticker<'a>, Limits, bool), Error> {
    options.observer.phase(Phase::Decompose);
    let by_sweeps = options.search == Search::Auto && sweeps_pay(size, kind);
    let limits = Limits::usual(by_sweeps);
    check_room(size, options.search, limits)?;
    let ticker = Ticker::new(options.observer, size.states);
    Ok((ticker, limits, by_sweeps))
}

/// Checks whether there is enough memory for a search.
fn check_room(size: Size<'_>, search: Search, limits: Limits) -> Result<(), Error> {
    let Size {
        states,
        choices,
        branches,
        ..
    } = size;
    // One number per state for each of: rows, indices, open states, and three for naming
    // components. The search for MECs needs the longest path. Sweeps keep up to eight bits per
    // state at the same time.
    let numbers = [4 * (states + 1); 6];
    let tables = match search {
        Search::Tarjan => [
            4 * states + 16 * states,
            4 * branches + 4 * choices,
            4 * choices + (choices + branches) / 8,
        ],
        _ => [mec::PATH_BYTES * states, branches / 8, states],
    };
    let of_cells = match search {
        Search::Auto if limits.threads_for_size(states, branches).is_some() => {
            parallel::room(states, branches)
        }
        _ => [0; 3],
    };
    let all: Vec<usize> = numbers.into_iter().chain(tables).chain(of_cells).collect();
    mdp_graph::check_room("the search", &all)?;
    Ok(())
}

fn auto_sccs(
    edges: All<'_>,
    by_sweeps: bool,
    limits: Limits,
    ticker: &mut Ticker<'_>,
) -> Result<Partition, Error> {
    if let Some(found) = functional::sccs(edges, ticker)? {
        return Ok(found);
    }
    let n = edges.num_states();
    if numbered::is_one_component(edges, ticker)? {
        return Ok(Partition::one(n));
    }
    if limits.suits_all_threads(n) && numbered::is_acyclic(edges) {
        return Ok(Partition::singletons(n));
    }
    if let Some(found) = ranges::sccs(edges, limits, ticker)? {
        return Ok(found);
    }
    let giant = match by_sweeps {
        true => match first_by_sweeps(edges) {
            Some(first) => find_giant(edges, first, ticker)?,
            None => None,
        },
        false if limits.threads_for_ranges(edges).is_some() => {
            // If edges lead nearby, one thread is often faster than many that look for a giant. It
            // takes the states in the order that suits it best, rather than beginning with a part
            // of a giant.
            match pearce::sccs_unless_slow(edges, ticker)? {
                Some(Ok(found)) => return Ok(found),
                Some(Err(each)) => {
                    let each = each.as_nanos() as u64 / PARTS;
                    find_giant(edges, First::ForwardWithin(each), ticker)?
                        .filter(|giant| giant.is_complete)
                }
                None => None,
            }
        }
        false => None,
    };
    sccs_around(edges, giant.as_ref(), None, limits, ticker)
}

fn find_giant(edges: All<'_>, first: First, ticker: &Ticker<'_>) -> Result<Option<Giant>, Error> {
    let n = edges.num_states();
    giant::find(&edges, &SharedBits::new(n), n, first, ticker)
}

/// Returns the components of the states that are not `closed`, if sweeps have found this giant, or
/// none.
fn sccs_around(
    edges: All<'_>,
    giant: Option<&Giant>,
    closed: Option<&Closed>,
    limits: Limits,
    ticker: &mut Ticker<'_>,
) -> Result<Partition, Error> {
    let n = edges.num_states();
    if giant.is_some_and(|giant| giant.num_core == n) {
        return Ok(Partition::one(n));
    }
    let by_cells = limits.threads_for_cells(edges).is_some();
    let is_whole = giant.is_some_and(|giant| limits.can_take_whole(giant));
    // Where MECs are wanted, states have been closed already as far as that pays.
    let trims = by_cells && (is_whole || giant.is_none() && closed.is_none());
    if !trims && !is_whole {
        return parallel::sccs(edges, giant, closed, limits, ticker);
    }
    let mut all = Closed::joined(closed, giant, n);
    if trims {
        all = closed::trim(&edges, all, ticker)?;
    }
    parallel::sccs(edges, giant, Some(&all), limits, ticker)
}

/// In each direction, all threads together look for a giant component as long as they take at most
/// one `PARTS`-th of the time that one thread takes for a state. If there is no giant, the attempt
/// takes about half of the time in which one thread searches the graph.
const PARTS: u64 = 4;

/// Half the time in nanoseconds that one thread takes for a state or an edge, if edges lead nearby
/// and MECs are wanted. If all threads take longer to follow them forward, the whole search takes
/// longer than by one thread.
const NANOSECONDS_EACH: u64 = 3;

/// Returns the direction in which sweeps first look for a giant component, if they do.
fn first_by_sweeps<I: Index>(edges: All<'_, I>) -> Option<First> {
    First::of(edges.sample(), edges.num_states() + edges.targets.len())
}

/// Returns the components to search for when MECs are wanted: SCCs if no state has two choices.
fn kind_to_search(graph: &MdpGraph) -> ComponentKind {
    match bottom::is_deterministic(graph) {
        true => ComponentKind::Scc,
        false => ComponentKind::Mec,
    }
}

/// Returns the mark of the MEC of each state, or [`Components::NONE`]. `kind` is the result of
/// [`kind_to_search`].
fn auto_mecs(
    graph: &MdpGraph,
    kind: ComponentKind,
    (by_sweeps, limits): (bool, Limits),
    ticker: &mut Ticker<'_>,
) -> Result<Table<u32>, Error> {
    let rows = StateRows::new(graph);
    let edges = All::new(graph, &rows);
    if let Some(found) = functional::mecs(graph, edges, ticker)? {
        return Ok(found);
    }
    if kind == ComponentKind::Scc {
        let sccs = auto_sccs(edges, by_sweeps, limits, ticker)?;
        return Ok(bottom::mecs(edges, sccs));
    }
    let n = graph.num_states();
    if let Some(sccs) = ranges::sccs(edges, limits, ticker)? {
        let found = regions::mecs(graph, &rows, &Closed::none(n), sccs, n / 2, ticker)?;
        if let Some(found) = found {
            return Ok(found);
        }
        // One search of the whole graph is faster than one of a region of its size.
        return match closed::close_all_in_order(graph, ticker)? {
            Some(closed) => Ok(closed.marks().0),
            None => mec::mecs(graph, &rows, None, ticker),
        };
    }
    if !by_sweeps {
        let found = mecs_around_giant(graph, &rows, limits, ticker)?;
        return found.map_or_else(|| mec::mecs(graph, &rows, None, ticker), Ok);
    }
    let (closed, giant) = closed::close_by_sweeps(graph, &edges, ticker)?;
    if closed.num_states == n {
        return Ok(closed.marks().0);
    }
    match limits.threads_for_cells(edges) {
        Some(_) => {
            // The giant leads to other states by choices that leave it. Only a giant that is taken
            // as a whole may do so.
            let whole = giant.filter(|giant| limits.can_take_whole(giant));
            let sccs = sccs_around(edges, whole.as_ref(), Some(&closed), limits, ticker)?;
            let found = regions::mecs(graph, &rows, &closed, sccs, usize::MAX, ticker)?;
            Ok(found.expect("no region is too large"))
        }
        None => mec::mecs(graph, &rows, Some(&closed), ticker),
    }
}

/// Looks for a giant component after many threads have given up ranges, and searches it and the
/// other components for MECs. Returns `None` if there is none, or if it is most of the graph, so
/// that one thread would have to search it.
fn mecs_around_giant(
    graph: &MdpGraph,
    rows: &StateRows<'_>,
    limits: Limits,
    ticker: &mut Ticker<'_>,
) -> Result<Option<Table<u32>>, Error> {
    let n = graph.num_states();
    let edges = All::new(graph, rows);
    if limits.threads_for_ranges(edges).is_none() {
        return Ok(None);
    }
    let each = NANOSECONDS_EACH * (n + edges.targets.len()).div_ceil(n.max(1)) as u64;
    let giant = find_giant(edges, First::ForwardWithin(each), ticker)?;
    let Some(giant) = giant.filter(|giant| giant.is_complete) else {
        return Ok(None);
    };
    if giant.num_core == n {
        return Ok(Some(Table::new(n)));
    }
    if giant.num_core > n / 2 && regions::is_split(graph, &giant.core) {
        return Ok(None);
    }
    let sccs = sccs_around(edges, Some(&giant), None, limits, ticker)?;
    regions::mecs(graph, rows, &Closed::none(n), sccs, usize::MAX, ticker)
}

/// The data of fewer states than this fit into a cache.
const CACHED_STATES: usize = 1 << 16;

/// Returns whether sweeps may be faster than a depth-first search. A sample of the edges decides.
/// If most edges lead to nearby states, a depth-first search finds its data in a cache, and paths
/// may be as long as the graph. Paths are also long if most states have one edge. If the long edges
/// of neighbouring states lead to the same states, these are in a cache, too.
fn sweeps_pay(size: Size<'_>, kind: ComponentKind) -> bool {
    let n = size.states;
    if n < CACHED_STATES || parallel::is_thin(n, size.branches) {
        return false;
    }
    let sample = (size.sample)();
    tracing::debug!(?sample, "edges");
    let is_cached = kind == ComponentKind::Scc && cached::has_most(sample, n + size.branches);
    sample.leads_far_if_at_all() && !is_cached
}

fn unsupported(search: Search) -> Error {
    Error::Unsupported {
        search,
        device: "the CPU",
    }
}
