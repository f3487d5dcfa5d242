//! The sequential search.

use crate::{BfsTree, Error, Observer};
use mdp_graph::{MdpGraph, StateId, check_room};

/// The number of states that are expanded between two calls of the observer.
const PERIOD: usize = 1 << 14;

/// Searches from `sources`, level by level.
pub(crate) fn search(
    graph: &MdpGraph,
    sources: &[StateId],
    observer: &dyn Observer,
) -> Result<BfsTree, Error> {
    let n = graph.num_states();
    check_room("a breadth-first search", &[4 * n, 4 * n, 4 * n])?;
    observer.phase(decompose::Phase::Decompose);
    let mut distances = vec![BfsTree::NONE; n];
    let mut parents = vec![BfsTree::NONE; n];
    let mut queue: Vec<StateId> = Vec::with_capacity(n);
    for &source in sources {
        if distances[source.index()] == BfsTree::NONE {
            distances[source.index()] = 0;
            queue.push(source);
        }
    }
    let mut next = 0;
    while let Some(&state) = queue.get(next) {
        next += 1;
        if next % PERIOD == 0 {
            observer.progress(next as u64, n as u64);
            if observer.is_cancelled() {
                return Err(Error::Cancelled);
            }
        }
        let level = distances[state.index()] + 1;
        for &target in graph.successors(state) {
            let distance = &mut distances[target.index()];
            if *distance == BfsTree::NONE {
                *distance = level;
                queue.push(target);
            }
            if *distance == level {
                let parent = &mut parents[target.index()];
                *parent = state.0.min(*parent);
            }
        }
    }
    Ok(BfsTree::new(distances, parents))
}
