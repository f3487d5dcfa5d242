//! Weakly connected components: states are connected if edges can be followed in both directions.

use crate::{MdpGraph, StateId};

/// The number of states between two questions whether the search is cancelled.
const PERIOD: usize = 1 << 14;

impl MdpGraph {
    /// Returns the number of weakly connected components, and the component of each state; they are
    /// numbered in the order of their smallest states.
    ///
    /// ```
    /// use mdp_graph::MdpGraph;
    ///
    /// let graph = MdpGraph::from_choices(&[vec![vec![2]], vec![vec![1]], vec![]])?;
    /// assert_eq!(graph.weak_components(), (2, vec![0, 1, 0]));
    /// # Ok::<(), mdp_graph::BuildError>(())
    /// ```
    pub fn weak_components(&self) -> (usize, Vec<u32>) {
        let found = self.weak_components_unless(|| false);
        found.expect("nobody cancels the search")
    }

    /// Does what [`weak_components`](Self::weak_components) does. Asks every few thousand states
    /// whether the search is cancelled, and returns `None` then.
    pub fn weak_components_unless(
        &self,
        is_cancelled: impl Fn() -> bool,
    ) -> Option<(usize, Vec<u32>)> {
        let mut forest = Forest::new(self.num_states());
        for state in self.states() {
            if state.index().is_multiple_of(PERIOD) && is_cancelled() {
                return None;
            }
            for &target in self.successors(state) {
                forest.join(state, target);
            }
        }
        Some(forest.into_numbers())
    }
}

/// Disjoint sets as trees: each state names another one of its set that is smaller, and the root,
/// which is the smallest of all, names itself.
struct Forest(Vec<u32>);

impl Forest {
    fn new(states: usize) -> Self {
        Self((0..states as u32).collect())
    }

    /// Returns the root of a state. Each state on the way is hung one step higher.
    fn root(&mut self, mut state: u32) -> u32 {
        loop {
            let above = self.0[state as usize];
            if above == state {
                return state;
            }
            let next = self.0[above as usize];
            self.0[state as usize] = next;
            state = next;
        }
    }

    fn join(&mut self, a: StateId, b: StateId) {
        if self.0[a.index()] == self.0[b.index()] {
            return;
        }
        let (a, b) = (self.root(a.0), self.root(b.0));
        let (low, high) = (a.min(b), a.max(b));
        self.0[high as usize] = low;
    }

    /// Returns the number of sets, and that of each state.
    fn into_numbers(mut self) -> (usize, Vec<u32>) {
        let mut count = 0;
        for state in 0..self.0.len() {
            let above = self.0[state] as usize;
            // The state above has its number already, because it is smaller.
            self.0[state] = match above == state {
                true => {
                    count += 1;
                    count - 1
                }
                false => self.0[above],
            };
        }
        (count as usize, self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Finds the components naively: takes the smaller label over each edge until nothing changes.
    fn naive(graph: &MdpGraph) -> (usize, Vec<u32>) {
        let mut least: Vec<u32> = (0..graph.num_states() as u32).collect();
        let mut changes = true;
        while changes {
            changes = false;
            for state in graph.states() {
                for target in graph.successors(state) {
                    let (a, b) = (least[state.index()], least[target.index()]);
                    changes |= a != b;
                    least[state.index()] = a.min(b);
                    least[target.index()] = a.min(b);
                }
            }
        }
        let mut names = least.clone();
        names.sort_unstable();
        names.dedup();
        let number = |name| names.binary_search(&name).expect("each label is a name") as u32;
        let numbers = least.into_iter().map(number).collect();
        (names.len(), numbers)
    }

    #[test]
    fn a_search_can_be_cancelled() {
        let graph = MdpGraph::from_choices(&[vec![vec![0]]]).expect("it is a graph");
        assert_eq!(graph.weak_components_unless(|| true), None);
    }

    proptest! {
        #[test]
        fn components_are_those_of_the_naive_search(
            edges in prop::collection::vec((0..40u32, 0..40u32), 0..60),
        ) {
            let mut rows = vec![Vec::new(); 40];
            for (source, target) in edges {
                rows[source as usize].push([target]);
            }
            let graph = MdpGraph::from_choices(&rows).expect("it is a graph");
            prop_assert_eq!(graph.weak_components(), naive(&graph));
        }
    }

    #[test]
    fn a_graph_without_states_has_no_weak_components() {
        let graph = MdpGraph::from_choices::<Vec<[u32; 1]>, _>(&[]).expect("it is a graph");
        assert_eq!(graph.weak_components(), (0, vec![]));
    }
}
