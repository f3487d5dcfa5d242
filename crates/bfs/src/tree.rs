//! [`BfsTree`]: the result of a search.

use mdp_graph::StateId;

/// The distance of each state from the nearest source, and its parent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BfsTree {
    distances: Vec<u32>,
    parents: Vec<u32>,
}

impl BfsTree {
    /// The distance of a state that was not reached, and the parent of a state that has none.
    pub const NONE: u32 = u32::MAX;

    /// Makes a tree from the distances and the parents of all states.
    pub(crate) fn new(distances: Vec<u32>, parents: Vec<u32>) -> Self {
        debug_assert_eq!(distances.len(), parents.len());
        Self { distances, parents }
    }

    /// Returns the number of states of the graph.
    pub fn num_states(&self) -> usize {
        self.distances.len()
    }

    /// Returns the number of states that were reached, including sources.
    pub fn num_reached(&self) -> usize {
        let reached = |distance: &&u32| **distance != Self::NONE;
        self.distances.iter().filter(reached).count()
    }

    /// Returns the least number of edges from a source to `state`, or `None` if there is no path.
    ///
    /// # Panics
    /// Panics if there is no such state.
    pub fn distance(&self, state: StateId) -> Option<u32> {
        some(self.distances[state.index()])
    }

    /// Returns the smallest predecessor of `state` whose distance is less by one. Sources have no
    /// parent.
    ///
    /// # Panics
    /// Panics if there is no such state.
    pub fn parent(&self, state: StateId) -> Option<StateId> {
        some(self.parents[state.index()]).map(StateId)
    }

    /// Returns the distance of each state, or [`NONE`](Self::NONE).
    pub fn distances(&self) -> &[u32] {
        &self.distances
    }

    /// Returns the parent of each state, or [`NONE`](Self::NONE).
    pub fn parents(&self) -> &[u32] {
        &self.parents
    }

    /// Returns the number of states at distance 0, 1, 2, …, up to the greatest distance.
    pub fn level_sizes(&self) -> Vec<u64> {
        let mut sizes = Vec::new();
        for distance in self.distances.iter().filter_map(|&distance| some(distance)) {
            let level = distance as usize;
            if sizes.len() <= level {
                sizes.resize(level + 1, 0);
            }
            sizes[level] += 1;
        }
        sizes
    }

    /// Returns the one of `states` that is nearest to a source. If several are equally near, this
    /// is the smallest. Returns `None` if none of them was reached.
    ///
    /// # Panics
    /// Panics if one of them is not a state of the graph.
    pub fn nearest(&self, states: impl IntoIterator<Item = StateId>) -> Option<StateId> {
        let reached = states.into_iter();
        let reached = reached.filter_map(|state| Some((self.distance(state)?, state)));
        reached.min().map(|(_, state)| state)
    }

    /// Returns the shortest path from a source to `state` that follows parents, or `None` if there
    /// is no path.
    ///
    /// # Panics
    /// Panics if there is no such state.
    pub fn path_to(&self, state: StateId) -> Option<Vec<StateId>> {
        let mut path = Vec::with_capacity(self.distance(state)? as usize + 1);
        path.push(state);
        path.extend(std::iter::successors(self.parent(state), |&at| {
            self.parent(at)
        }));
        path.reverse();
        Some(path)
    }
}

fn some(number: u32) -> Option<u32> {
    (number != BfsTree::NONE).then_some(number)
}
