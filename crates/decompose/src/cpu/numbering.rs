//! Tests whether the numbering of the states alone shows the components of a graph.
//!
//! A graph is strongly connected if each state except the first has an edge to an earlier state and
//! an edge from an earlier state. Then paths lead from each state down to the first state, and from
//! the first state up to each state. The same holds with the last state and later states.
//!
//! This is the case in grids, trees, stars and paths, if each edge has a reverse edge and states
//! are numbered in the order of a search. One pass over the edges tests it. The pass ends at the
//! first state that violates the condition; in most other graphs, this is one of the first few
//! states. If the first states meet the condition, and there are many threads, all of them test the
//! rest.
//!
//! A graph has no cycle if all edges lead to later states, or all edges lead to earlier states.

use super::edges::AllEdges;
use super::steps;
use super::threads;
use super::ticker::{PERIOD, Ticker};
use crate::Error;
use crate::sample::EdgeSample;
use mdp_graph::{Index, Table};
use rayon::prelude::*;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

/// If there are more edges per state than this, a depth-first search is faster: it visits all
/// states early, and can then end without visiting all edges.
const MAX_EDGES: usize = 12;

/// In a graph of fewer states than this, one thread is as fast as many.
const MIN_STATES: usize = if cfg!(test) { 4 } else { 1 << 18 };

/// Before many threads test all states, one tests so many, because most tests end soon.
const FIRST_STATES: usize = if cfg!(test) { 2 } else { 1 << 16 };

/// Returns whether the numbering shows that a graph is strongly connected. Returns false if a
/// target is out of range.
pub(super) fn is_one_component<I: Index>(
    edges: AllEdges<'_, I>,
    ticker: &Ticker<'_>,
) -> Result<bool, Error> {
    let (n, m) = (edges.num_states(), edges.targets.len());
    // Each state except the first and the last needs an edge to an earlier and an edge to a later
    // state.
    if n < 2 || m < 2 * (n - 1) || m > MAX_EDGES * n {
        return Ok(false);
    }
    let is_shown = is_shown::<true, I>(edges, ticker)? || is_shown::<false, I>(edges, ticker)?;
    Ok(is_shown && I::are_below(edges.targets, n))
}

/// Returns the result of the test with earlier states (`ASCENDS`), or with later ones. If the
/// targets of a state are in ascending order, only those that are needed are visited; in any other
/// order, some that would help may be missed.
fn is_shown<const ASCENDS: bool, I: Index>(
    edges: AllEdges<'_, I>,
    ticker: &Ticker<'_>,
) -> Result<bool, Error> {
    let n = edges.num_states();
    // A new table is cheap, because most of it may never be touched.
    let mut is_led_to = Table::<u8>::new(n);
    match threads::are_many() && n >= MIN_STATES {
        false => by_one::<ASCENDS, I>(edges, n, &mut is_led_to, ticker),
        true => {
            let begins_well = by_one::<ASCENDS, I>(edges, FIRST_STATES, &mut is_led_to, ticker)?;
            Ok(begins_well && by_all::<ASCENDS, I>(edges, is_led_to.as_atomics()))
        }
    }
}

/// Tests the first states, or the last ones. `is_led_to` says of each state whether one before it
/// leads to it.
fn by_one<const ASCENDS: bool, I: Index>(
    edges: AllEdges<'_, I>,
    num_tested: usize,
    is_led_to: &mut [u8],
    ticker: &Ticker<'_>,
) -> Result<bool, Error> {
    let n = edges.num_states();
    let state_at = |place: usize| if ASCENDS { place } else { n - 1 - place };
    is_led_to[state_at(0)] = 1;
    let mut goes_both_ways = |state: usize| {
        if is_led_to[state] == 0 {
            return false;
        }
        let row = edges.of(state as u32);
        steps::count(row.len() as u32);
        each_later::<ASCENDS, I>(row, state, n, |target| is_led_to[target] = 1);
        leads_back::<ASCENDS, I>(row, state) || state == state_at(0)
    };
    for first in (0..num_tested).step_by(PERIOD as usize) {
        let end = num_tested.min(first + PERIOD as usize);
        if !(first..end).map(state_at).all(&mut goes_both_ways) {
            return Ok(false);
        }
        ticker.report(0)?;
    }
    Ok(true)
}

/// Tests all states on all threads. `is_led_to`: the table of [`by_one`].
fn by_all<const ASCENDS: bool, I: Index>(edges: AllEdges<'_, I>, is_led_to: &[AtomicU8]) -> bool {
    let n = edges.num_states();
    let first = if ASCENDS { 0 } else { n - 1 };
    let states = || (0..n).into_par_iter().with_min_len(PERIOD as usize);
    let leads_on = |state: usize| {
        let row = edges.of(state as u32);
        each_later::<ASCENDS, I>(row, state, n, |target| {
            // Threads that write to the same place wait for one another, as for the middle of a
            // star.
            let place = &is_led_to[target];
            if place.load(Relaxed) == 0 {
                place.store(1, Relaxed);
            }
        });
        leads_back::<ASCENDS, I>(row, state) || state == first
    };
    states().all(leads_on) && states().all(|state| is_led_to[state].load(Relaxed) == 1)
}

/// Returns whether a state comes before another one.
fn comes_before<const ASCENDS: bool>(state: usize, other: usize) -> bool {
    if ASCENDS {
        state < other
    } else {
        state > other
    }
}

/// Returns whether one of the targets of a state comes before it.
#[inline]
fn leads_back<const ASCENDS: bool, I: Index>(row: &[I], state: usize) -> bool {
    let is_back = |target: &I| comes_before::<ASCENDS>(target.as_usize(), state);
    match ASCENDS {
        true => row.iter().any(is_back),
        false => row.iter().rev().any(is_back),
    }
}

/// Calls `mark` with targets of a state that come after it, until another target follows. `n`: the
/// number of states.
#[inline]
fn each_later<const ASCENDS: bool, I: Index>(
    row: &[I],
    state: usize,
    n: usize,
    mut mark: impl FnMut(usize),
) {
    let visit = |target: &I| {
        let target = target.as_usize();
        let is_later = target < n && comes_before::<ASCENDS>(state, target);
        if is_later {
            mark(target);
        }
        is_later
    };
    match ASCENDS {
        true => row.iter().rev().all(visit),
        false => row.iter().all(visit),
    };
}

/// A direction in which all edges of a graph may lead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EdgeDirection {
    /// To later states.
    Forward,
    /// To earlier states.
    Backward,
}

impl EdgeDirection {
    /// Returns the direction of all edges of a sample, or `None` if they have different ones.
    pub(super) fn of(sample: EdgeSample) -> Option<Self> {
        if sample.has_no_backward_edge() {
            Some(Self::Forward)
        } else {
            sample.is_all_backward().then_some(Self::Backward)
        }
    }
}

/// Returns whether a graph has no cycles except self-loops because all other edges lead in this
/// direction.
/// All threads check the edges.
pub(super) fn is_acyclic(edges: AllEdges<'_>, direction: EdgeDirection) -> bool {
    let is_in_order = |state: u32| {
        let mut targets = edges.of(state).iter();
        match direction {
            EdgeDirection::Forward => targets.all(|&target| target >= state),
            EdgeDirection::Backward => targets.all(|&target| target <= state),
        }
    };
    let states = (0..edges.num_states() as u32).into_par_iter();
    states.with_min_len(PERIOD as usize).all(is_in_order)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Silent;
    use crate::cpu::tarjan;
    use crate::cpu::tests::{POOLS, rows_of};
    use mdp_graph::{Components, MdpGraph, StateRows};
    use proptest::prelude::*;

    /// Builds a graph with these edges. Returns whether its numbering shows that it is strongly
    /// connected, and the graph.
    fn shows(n: u32, edges: &[(u32, u32)]) -> (bool, MdpGraph) {
        let row = |state| edges.iter().filter(move |edge| edge.0 == state);
        let choices = (0..n).map(|state| vec![row(state).map(|edge| edge.1).collect()]);
        let states: Vec<Vec<Vec<u32>>> = choices.collect();
        let states: Vec<_> = states.into_iter().map(without_empty).collect();
        let graph = MdpGraph::from_choices(&states).expect("it is a graph");
        let rows = StateRows::new(&graph);
        let edges = AllEdges::new(&graph, &rows);
        // The last pool has so many threads that all of them test.
        let [one, .., many] = POOLS.each_ref().map(|pool| {
            let test = || is_one_component(edges, &Ticker::new(&Silent, n as usize));
            pool.install(test).expect("nobody cancels")
        });
        assert_eq!(one, many);
        (one, graph)
    }

    /// Returns whether all edges lead in the same direction, as a sample of them says, too.
    fn is_shown_acyclic(edges: AllEdges<'_>) -> bool {
        EdgeDirection::of(edges.sample()).is_some_and(|direction| is_acyclic(edges, direction))
    }

    fn without_empty(mut choices: Vec<Vec<u32>>) -> Vec<Vec<u32>> {
        choices.retain(|choice| !choice.is_empty());
        choices
    }

    fn both_ways(edges: impl Iterator<Item = (u32, u32)>) -> Vec<(u32, u32)> {
        edges.flat_map(|(a, b)| [(a, b), (b, a)]).collect()
    }

    #[test]
    fn paths_trees_and_stars_are_recognised_and_cycles_are_not() {
        let path = both_ways((1..9).map(|i| (i - 1, i)));
        let tree = both_ways((1..9).map(|i| ((i - 1) / 2, i)));
        for center in [0, 8] {
            let star = both_ways((0..9).filter(|&i| i != center).map(|i| (center, i)));
            assert!(shows(9, &star).0);
        }
        assert!(shows(9, &path).0 && shows(9, &tree).0);
        let cycle: Vec<_> = (0..9).map(|i| (i, (i + 1) % 9)).collect();
        assert!(!shows(9, &cycle).0);
        assert!(!shows(9, &path[1..]).0 && !shows(9, &path[..15]).0);
    }

    /// The chain has more states than a sample, and one edge back.
    #[test]
    fn one_edge_back_is_seen_wherever_it_is() {
        let n = 3000;
        for turned in [false, true] {
            let number = |state: u32| if turned { n - 1 - state } else { state };
            let is_acyclic_with = |back: Option<u32>| {
                let mut rows = vec![Vec::new(); n as usize];
                for state in 1..n {
                    rows[number(state - 1) as usize].push(number(state));
                }
                if let Some(state) = back {
                    rows[number(state) as usize].push(number(state - 1));
                }
                let (offsets, targets) = rows_of(&rows);
                is_shown_acyclic(AllEdges {
                    rows: &offsets,
                    targets: &targets,
                })
            };
            assert!(is_acyclic_with(None));
            assert!((1..20).all(|state| !is_acyclic_with(Some(state))));
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        /// The graphs are trees with up to two edges added and up to one removed.
        #[test]
        fn recognised_graphs_are_one_component(
            parents in prop::collection::vec(any::<prop::sample::Index>(), 1..12),
            more in prop::collection::vec((0..13u32, 0..13u32), 0..3),
            less in prop::collection::vec(any::<prop::sample::Index>(), 0..2),
            turned: bool,
        ) {
            let n = parents.len() as u32 + 1;
            let above = (1..n).zip(&parents);
            let above = above.map(|(i, parent)| (i, parent.index(i as usize) as u32));
            let mut edges = both_ways(above);
            edges.extend(more.iter().map(|&(a, b)| (a % n, b % n)));
            for place in less {
                edges.remove(place.index(edges.len()));
            }
            if turned {
                edges.iter_mut().for_each(|edge| *edge = (n - 1 - edge.0, n - 1 - edge.1));
            }
            let (shown, graph) = shows(n, &edges);
            let mut ticker = Ticker::new(&Silent, n as usize);
            let found = tarjan::sccs(&graph, &tarjan::Everything, &mut ticker);
            let found = Components::from_scc_marks(&graph, found.expect("nobody cancels"));
            prop_assert!(!shown || found.len() == 1);
        }

        /// All edges lead to later states, except perhaps one.
        #[test]
        fn graphs_in_order_are_acyclic(
            edges in prop::collection::vec((0..12u32, 0..12u32), 0..30),
            other in prop::option::of((0..12u32, 0..12u32)),
            turned: bool,
        ) {
            let ordered = |(a, b): (u32, u32)| match turned {
                true => (a.max(b), a.min(b)),
                false => (a.min(b), a.max(b)),
            };
            let mut edges: Vec<_> = edges.into_iter().map(ordered).collect();
            edges.extend(other);
            let (_, graph) = shows(12, &edges);
            let mut ticker = Ticker::new(&Silent, 12);
            let found = tarjan::sccs(&graph, &tarjan::Everything, &mut ticker);
            let found = Components::from_scc_marks(&graph, found.expect("nobody cancels"));
            let rows = StateRows::new(&graph);
            let shown = is_shown_acyclic(AllEdges::new(&graph, &rows));
            prop_assert!(!shown || found.len() == 12);
            // All edges of a small graph are in the sample.
            let is_on = |ways: fn(&(u32, u32)) -> bool| edges.iter().all(ways);
            let is_ordered = is_on(|edge| edge.0 < edge.1) || is_on(|edge| edge.0 > edge.1);
            prop_assert!(shown || !is_ordered);
        }
    }
}
