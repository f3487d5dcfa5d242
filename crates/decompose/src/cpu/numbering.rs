//! Tests whether the numbering of the states alone shows the components of a graph.
//!
//! A graph is strongly connected if each state except the first has an edge to an earlier state and
//! an edge from an earlier state. Then paths lead from each state down to the first state, and from
//! the first state up to each state. The same holds with the last state and later states.
//!
//! This is the case in grids, trees, stars and paths, if each edge has a reverse edge and states
//! are numbered in the order of a search. One pass over the edges tests it. The pass ends at the
//! first state that violates the condition; in most other graphs, this is one of the first few
//! states.
//!
//! A graph has no cycle if all edges lead to later states, or all edges lead to earlier states.

use super::edges::AllEdges;
use super::steps;
use super::ticker::{PERIOD, Ticker};
use crate::Error;
use crate::sample::EdgeSample;
use mdp_graph::{Index, Table};
use rayon::prelude::*;

/// If there are more edges per state than this, a depth-first search is faster: it visits all
/// states early, and can then end without visiting all edges.
const MAX_EDGES: usize = 12;

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
    let is_shown = follow::<true, I>(edges, ticker)? || follow::<false, I>(edges, ticker)?;
    Ok(is_shown && I::are_below(edges.targets, n))
}

/// Returns the test with earlier states (`ASCENDS`), or with later ones. If the targets of a state
/// are in ascending order, only those that are needed are visited; in any other order, some that
/// would help may be missed.
fn follow<const ASCENDS: bool, I: Index>(
    edges: AllEdges<'_, I>,
    ticker: &Ticker<'_>,
) -> Result<bool, Error> {
    let n = edges.num_states();
    let state_at = |place: usize| if ASCENDS { place } else { n - 1 - place };
    // For each state, whether an earlier state leads to it. A new table is cheap, because most of
    // it may never be touched.
    let mut is_led_to = Table::<u8>::new(n);
    let is_led_to = &mut is_led_to[..];
    is_led_to[state_at(0)] = 1;
    let mut goes_both_ways = |state: usize| {
        if is_led_to[state] == 0 {
            return false;
        }
        let row = edges.of(state as u32);
        steps::count(row.len() as u32);
        let comes_before = |target: &I| {
            let target = target.as_usize();
            if ASCENDS {
                target < state
            } else {
                target > state
            }
        };
        let mut mark = |target: &I| {
            let target = target.as_usize();
            let comes_later = if ASCENDS {
                target > state
            } else {
                target < state
            };
            let place = is_led_to.get_mut(target).filter(|_| comes_later);
            place.map(|place| *place = 1).is_some()
        };
        let leads_back = match ASCENDS {
            true => row.iter().any(comes_before),
            false => row.iter().rev().any(comes_before),
        };
        match ASCENDS {
            true => row.iter().rev().all(&mut mark),
            false => row.iter().all(&mut mark),
        };
        leads_back || state == state_at(0)
    };
    for first in (0..n).step_by(PERIOD as usize) {
        let mut states = (first..n.min(first + PERIOD as usize)).map(state_at);
        if !states.all(&mut goes_both_ways) {
            return Ok(false);
        }
        ticker.report(0)?;
    }
    Ok(true)
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
    use crate::cpu::tests::rows_of;
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
        let shown = is_one_component(edges, &Ticker::new(&Silent, n as usize));
        (shown.expect("nobody cancels"), graph)
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
