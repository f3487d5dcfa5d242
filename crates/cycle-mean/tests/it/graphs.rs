//! Weighted graphs for tests: from lists of edges, at random, or of known shapes.

use cycle_mean::{Objective, Problem};
use mdp_graph::{MdpGraph, StateId};
use proptest::prelude::*;

/// An edge: source, target, weight, time.
pub(crate) type Edge = (u32, u32, i64, u32);

/// A graph with weights and times.
#[derive(Clone, Debug)]
pub(crate) struct Weighted {
    pub(crate) graph: MdpGraph,
    pub(crate) weights: Vec<i64>,
    pub(crate) times: Vec<u32>,
    /// The source of each branch.
    pub(crate) sources: Vec<u32>,
}

impl Weighted {
    /// Returns a graph of this many states with these edges, each of which is a choice.
    pub(crate) fn new(states: u32, edges: &[Edge]) -> Self {
        let mut edges = edges.to_vec();
        edges.sort_by_key(|&(source, ..)| source);
        let first = |state| edges.partition_point(|&(source, ..)| source < state) as u32;
        let graph = MdpGraph::from_parts(
            (0..=states).map(first).collect(),
            (0..=edges.len() as u32).collect(),
            edges
                .iter()
                .map(|&(_, target, ..)| StateId(target))
                .collect(),
        )
        .expect("the arrays are a graph");
        Self {
            graph,
            weights: edges.iter().map(|&(_, _, weight, _)| weight).collect(),
            times: edges.iter().map(|&(.., time)| time).collect(),
            sources: edges.iter().map(|&(source, ..)| source).collect(),
        }
    }

    pub(crate) fn mean(&self, objective: Objective) -> Problem<'_> {
        Problem::mean(&self.graph, &self.weights, objective)
    }

    pub(crate) fn ratio(&self, objective: Objective) -> Problem<'_> {
        Problem::ratio(&self.graph, &self.weights, &self.times, objective)
    }
}

/// Returns random graphs of up to this many states and edges. Times are at least `least`.
pub(crate) fn graphs(
    states: u32,
    edges: usize,
    weights: i64,
    least: u32,
) -> impl Strategy<Value = Weighted> {
    (1..=states).prop_flat_map(move |states| {
        let edge = (0..states, 0..states, -weights..=weights, least..=4);
        prop::collection::vec(edge, 0..=edges).prop_map(move |edges| Weighted::new(states, &edges))
    })
}

/// Returns one cycle through this many states. Its last edge has weight 1, and the others have
/// weight 0.
pub(crate) fn cycle(states: u32) -> Weighted {
    let edge = |s: u32| (s, (s + 1) % states, i64::from(s + 1 == states), 1);
    let edges: Vec<Edge> = (0..states).map(edge).collect();
    Weighted::new(states, &edges)
}

/// Returns a path from which each state also leads back to the first one. The last edge back is so
/// cheap that the best cycle is the whole path, but policies find this one state after the other.
pub(crate) fn path_with_ways_back(states: u32) -> Weighted {
    let mut edges: Vec<Edge> = Vec::new();
    for s in 1..states {
        edges.push((s - 1, s, 1, 1));
        let weight = if s + 1 == states {
            -10 * i64::from(states)
        } else {
            0
        };
        edges.push((s, 0, weight, 1));
    }
    Weighted::new(states, &edges)
}

/// Returns a square grid with edges to all four neighbours, and weights that look random.
pub(crate) fn grid(side: u32) -> Weighted {
    let mut edges = Vec::new();
    for (x, y) in (0..side).flat_map(|x| (0..side).map(move |y| (x, y))) {
        let neighbours = [
            (x + 1, y),
            (x, y + 1),
            (x.wrapping_sub(1), y),
            (x, y.wrapping_sub(1)),
        ];
        for (i, (nx, ny)) in neighbours.into_iter().enumerate() {
            if nx < side && ny < side {
                let mixed = (x * 31 + y * 17 + i as u32 * 7).wrapping_mul(2_654_435_761) >> 20;
                edges.push((
                    x * side + y,
                    nx * side + ny,
                    i64::from(mixed),
                    1 + mixed % 5,
                ));
            }
        }
    }
    Weighted::new(side * side, &edges)
}
