//! The problem: a graph with weights, and the kind of cycles to find.

use mdp_graph::{MdpGraph, Objective};

/// A weighted graph, and the objective: the least or the greatest value of its cycles.
///
/// The edges are the branches of the graph, whichever choices they belong to. The value of a cycle
/// is the sum of its weights, divided by the number of its edges or, if edges have times, by the
/// sum of their times.
#[derive(Clone, Copy, Debug)]
pub struct Problem<'a> {
    pub(crate) graph: &'a MdpGraph,
    pub(crate) weights: &'a [i64],
    pub(crate) times: Option<&'a [u32]>,
    pub(crate) objective: Objective,
}

impl<'a> Problem<'a> {
    /// Makes the problem of cycle means: sums of weights divided by numbers of edges. `weights` has
    /// one value per branch.
    ///
    /// # Panics
    /// Panics if there are more or fewer weights than branches.
    #[must_use]
    pub fn mean(graph: &'a MdpGraph, weights: &'a [i64], objective: Objective) -> Self {
        assert_eq!(weights.len(), graph.num_branches(), "one weight a branch");
        Self {
            graph,
            weights,
            times: None,
            objective,
        }
    }

    /// Makes the problem of cost-to-time ratios: sums of weights divided by sums of times.
    /// `weights` and `times` have one value per branch.
    ///
    /// # Panics
    /// Panics if there are more or fewer weights or times than branches.
    #[must_use]
    pub fn ratio(
        graph: &'a MdpGraph,
        weights: &'a [i64],
        times: &'a [u32],
        objective: Objective,
    ) -> Self {
        assert_eq!(times.len(), graph.num_branches(), "one time a branch");
        Self {
            times: Some(times),
            ..Self::mean(graph, weights, objective)
        }
    }

    /// Returns the graph.
    #[must_use]
    pub fn graph(&self) -> &'a MdpGraph {
        self.graph
    }

    /// Returns the weight of each branch.
    #[must_use]
    pub fn weights(&self) -> &'a [i64] {
        self.weights
    }

    /// Returns the time of each branch; `None` if each branch takes time 1.
    #[must_use]
    pub fn times(&self) -> Option<&'a [u32]> {
        self.times
    }

    /// Returns whether cycles with the least or with the greatest value are sought.
    #[must_use]
    pub fn objective(&self) -> Objective {
        self.objective
    }

    /// Returns the weight of a branch, negated if the greatest value is sought. So the least value
    /// is always sought.
    #[inline]
    pub(crate) fn cost(&self, branch: usize) -> i128 {
        let weight = i128::from(self.weights[branch]);
        match self.objective {
            Objective::Min => weight,
            Objective::Max => -weight,
        }
    }

    /// Returns the time of a branch.
    #[inline]
    pub(crate) fn time(&self, branch: usize) -> u32 {
        self.times.map_or(1, |times| times[branch])
    }
}
