//! The decompositions on the CPU.
//!
//! | search | SCCs | MECs |
//! | --- | --- | --- |
//! | `auto` | sweeps on all threads for a [`giant`] component, then [`pearce`] on one | sweeps that [`mod@starve`] and find giants, then [`pearce`] to close what is in no cycle, then [`mod@mec`], which passes over choices that leave and looks again only where it must |
//! | `tarjan` | [`tarjan`] | [`basic`], the papers' baseline, which looks at everything in each round |

mod basic;
mod cells;
mod edges;
mod forward;
mod giant;
mod interleave;
mod lockstep;
mod mec;
mod parallel;
mod pearce;
mod quotient;
mod regions;
mod rows;
mod starve;
mod steps;
mod sweep;
mod tarjan;
#[cfg(test)]
mod tests;
mod ticker;

use crate::{Error, Options, Phase, Search};
use edges::All;
use mdp_graph::{Components, MdpGraph, SharedBits, StateId, Table};
use parallel::Limits;
use rows::Rows;
use ticker::Ticker;

pub(crate) fn scc(graph: &MdpGraph, options: &Options<'_>) -> Result<Components, Error> {
    options.observer.phase(Phase::Decompose);
    let mut ticker = Ticker::new(options.observer, graph.num_states());
    check_room(graph, options.search)?;
    let marks = match options.search {
        Search::Auto => auto_sccs(graph, sweeps_pay(graph), Limits::USUAL, &mut ticker)?,
        Search::Tarjan => tarjan::sccs(graph, &tarjan::Everything, &mut ticker)?.into(),
        search @ (Search::Fbt | Search::Bfbt) => return Err(unsupported(search)),
    };
    Ok(Components::from_scc_marks(graph, marks))
}

pub(crate) fn mec(graph: &MdpGraph, options: &Options<'_>) -> Result<Components, Error> {
    options.observer.phase(Phase::Decompose);
    let mut ticker = Ticker::new(options.observer, graph.num_states());
    check_room(graph, options.search)?;
    let marks = match options.search {
        Search::Auto => auto_mecs(graph, sweeps_pay(graph), Limits::USUAL, &mut ticker)?,
        Search::Tarjan => basic::mecs(graph, &mut ticker)?.into(),
        search @ (Search::Fbt | Search::Bfbt) => return Err(unsupported(search)),
    };
    Ok(Components::from_mec_marks(marks))
}

/// Finds out whether there is memory for a search, before it begins.
fn check_room(graph: &MdpGraph, search: Search) -> Result<(), Error> {
    let (states, choices) = (graph.num_states(), graph.num_choices());
    let branches = graph.num_branches();
    // A number a state: rows, indices, open states; three to name components. A search for MECs is
    // the one with the longest path, and sweeps keep up to eight bits a state beside one another.
    let numbers = [4 * (states + 1); 6];
    let tables = match search {
        Search::Tarjan => [
            4 * states + 16 * states,
            4 * branches + 4 * choices,
            4 * choices + (choices + branches) / 8,
        ],
        _ => [mec::PATH_BYTES * states, branches / 8, states],
    };
    let all: Vec<usize> = numbers.into_iter().chain(tables).collect();
    mdp_graph::check_room("the search", &all)?;
    Ok(())
}

/// A number for each state, equal for two states iff they are in the same component.
fn auto_sccs(
    graph: &MdpGraph,
    by_sweeps: bool,
    limits: Limits,
    ticker: &mut Ticker<'_>,
) -> Result<Table<u32>, Error> {
    let n = graph.num_states();
    let rows = Rows::new(graph);
    let giant = match by_sweeps {
        true => giant::find(&all(graph, &rows), &SharedBits::new(n), n, ticker)?,
        false => None,
    };
    if giant.as_ref().is_some_and(|giant| giant.num_core == n) {
        return Ok(Table::new(n));
    }
    let edges = parallel::edges(graph, &rows);
    parallel::sccs(edges, giant.as_ref(), None, limits, ticker)
}

/// For each state the mark of its MEC, or [`Components::NONE`].
fn auto_mecs(
    graph: &MdpGraph,
    by_sweeps: bool,
    limits: Limits,
    ticker: &mut Ticker<'_>,
) -> Result<Table<u32>, Error> {
    let rows = Rows::new(graph);
    let in_regions = limits.cells(graph.num_states()).is_some();
    let closed = match by_sweeps || in_regions {
        true => Some(starve::starve(graph, &all(graph, &rows), ticker)?),
        false => None,
    };
    match closed {
        Some(closed) if in_regions => regions::mecs(graph, &rows, &closed, limits, ticker),
        closed => mec::mecs(graph, &rows, closed.as_ref(), ticker),
    }
}

fn all<'a>(graph: &'a MdpGraph, rows: &'a Rows<'_>) -> All<'a> {
    All {
        rows,
        targets: StateId::as_numbers(graph.all_targets()),
    }
}

/// Fewer states than these are in a cache whatever is done with them.
const SMALL: usize = 1 << 16;

/// A target that is farther away than so many states is in no cache when a search comes to it.
const FAR: u32 = 1 << 12;

/// Whether sweeps may be faster than a depth-first search, by a sample: where most edges lead nearby,
/// that finds all that it looks up in a cache, and paths may be as long as the graph.
fn sweeps_pay(graph: &MdpGraph) -> bool {
    const SAMPLE: usize = 1 << 10;
    let n = graph.num_states();
    let step = (n / SAMPLE).max(1);
    let is_far = |state: usize| {
        let targets = StateId::as_numbers(graph.successors(StateId::from_index(state)));
        targets
            .iter()
            .any(|target| target.abs_diff(state as u32) > FAR)
    };
    n >= SMALL && 2 * (0..n).step_by(step).filter(|&state| is_far(state)).count() >= n / step
}

fn unsupported(search: Search) -> Error {
    Error::Unsupported {
        search,
        device: "the CPU",
    }
}
