//! The search for maximal end components in a whole graph, or in the states that sweeps have left.
//!
//! Several threads search it at once ([`shared_region`]). One thread searches what they leave. If
//! it goes over large parts too many times, [`lockstep`] takes over.

use super::decided::Decided;
use super::edges::GraphRows;
use super::lockstep;
use super::mec::{self, MecSearch, Model, PATIENCE, Region};
use super::pearce;
use super::shared_region::{self, Left};
use super::strategy::SharedLimits;
use super::ticker::{Ticker, Watch};
use crate::Error;
use crate::sample::EdgeSample;
use mdp_graph::{Components, Table};
use std::cell::LazyCell;

/// Returns the mark of the MEC of each state, or [`Components::NONE`]. States in `decided` are not
/// searched: they count as closed.
pub(super) fn mecs(
    rows: GraphRows<'_>,
    decided: Option<&Decided>,
    shared: Option<SharedLimits>,
    ticker: &mut Ticker<'_>,
) -> Result<Table<u32>, Error> {
    let patience = PATIENCE * (rows.graph.num_states() + rows.graph.num_branches());
    mecs_within(rows, decided, shared, patience, ticker)
}

/// Like [`mecs`], but repeated searches visit at most this many states and branches before searches
/// in lockstep take over.
pub(super) fn mecs_within(
    rows: GraphRows<'_>,
    decided: Option<&Decided>,
    shared: Option<SharedLimits>,
    patience: usize,
    ticker: &mut Ticker<'_>,
) -> Result<Table<u32>, Error> {
    let (graph, n) = (rows.graph, rows.graph.num_states());
    let unmarked = || (Table::new(n), Components::NONE - 1);
    let (mut index, mut next_mec) = decided.map_or_else(unmarked, Decided::marks);
    let mut num_closed = decided.map_or(0, |decided| decided.num_states);
    if num_closed == n {
        return Ok(index);
    }
    let starts = LazyCell::new(|| mec::starts(graph));
    let (mut path, mut open) = (Table::new(n), Table::new(n));
    // If edges lead to closed states, paths are short.
    let ascends = EdgeSample::of(graph).leads_backward();
    let shared = shared.filter(|_| 3 * n < next_mec as usize);
    // All threads mark MECs by their states, from this number on.
    let by_state = Region::all(next_mec);
    let mut left = Left::default();
    if let Some(limits) = shared {
        next_mec -= n as u32;
        let region = by_state.below(next_mec);
        let model = Model::new(rows, &starts, &mut index);
        let (size, room) = (n - num_closed, (&mut *path, &mut *open));
        let watch = Watch::new(ticker, num_closed);
        left = shared_region::search(model, region, size, limits, ascends, room, &watch)?;
        num_closed += left.num_closed;
    }
    // If edges lead far, a search for SCCs is faster than a search for MECs, and leaves few states
    // of a model on which sweeps were given up. If they do not, it is as slow.
    if decided.is_some() && num_closed < n {
        let closed = pearce::close_sccs(rows, &mut index, next_mec, num_closed, ticker)?;
        num_closed += closed.num;
        next_mec = closed.next_mec;
    }
    if num_closed == n && left.parts.is_empty() {
        return Ok(index);
    }
    let model = Model::new(rows, &starts, &mut index);
    let mut search = MecSearch::new(model, Region::all(next_mec), &mut path, &mut open);
    search.num_closed = num_closed;
    search.visit_all(ascends, ticker)?;
    if shared.is_some_and(|limits| search.doubtful.are_many(limits)) {
        let (parts, closed, region) = (search.doubtful, search.num_closed, search.region);
        let (room, watch) = ((&mut *path, &mut *open), Watch::new(ticker, closed));
        let by_state = by_state.below(region.next_mec);
        let more = shared_region::again(model, by_state, &parts, room, &watch)?;
        left.parts.extend(more);
        search = MecSearch::new(model, region, &mut path, &mut open);
        search.num_closed = closed + parts.states.len();
    }
    search.put_back_closed(left.parts);
    if !search.again(patience, ticker)? {
        lockstep::close_rest(graph, &mut search, ticker)?;
    }
    Ok(index)
}
