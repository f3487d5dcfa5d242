//! Tests that compare the search on the CPU with the definition.

use crate::common::{Model, all_small_digraphs, digraph, graph, models, on_cpu};
use bfs::{BfsTree, Error, Observer, Options, search};
use mdp_graph::StateId;
use proptest::prelude::*;

/// Computes distances by relaxing edges until no distance changes, and parents by their definition.
fn oracle(model: &Model, sources: &[u32]) -> (Vec<u32>, Vec<u32>) {
    let n = model.len();
    let edges: Vec<(usize, usize)> = (0..n)
        .flat_map(|s| model[s].iter().flatten().map(move |&t| (s, t as usize)))
        .collect();
    let mut distances = vec![u64::MAX; n];
    for &source in sources {
        distances[source as usize] = 0;
    }
    while let Some(&(s, t)) = edges
        .iter()
        .find(|&&(s, t)| distances[s].saturating_add(1) < distances[t])
    {
        distances[t] = distances[s] + 1;
    }
    let parent = |t: usize| {
        let is_parent = |s: &usize| {
            let is_nearer = distances[*s] != u64::MAX && distances[*s] + 1 == distances[t];
            is_nearer && edges.contains(&(*s, t))
        };
        (0..n).find(is_parent).map_or(BfsTree::NONE, |s| s as u32)
    };
    let parents = (0..n).map(parent).collect();
    let number = |distance: u64| u32::try_from(distance).unwrap_or(BfsTree::NONE);
    (distances.into_iter().map(number).collect(), parents)
}

proptest! {
    #[test]
    fn the_cpu_finds_distances_and_parents((model, sources) in models(20)) {
        let tree = on_cpu(&graph(&model), StateId::cast_slice(&sources));
        let (distances, parents) = oracle(&model, &sources);
        prop_assert_eq!(tree.distances(), distances);
        prop_assert_eq!(tree.parents(), parents);
    }

    #[test]
    fn paths_are_as_long_as_distances((model, sources) in models(20)) {
        let sources = StateId::cast_slice(&sources);
        let graph = graph(&model);
        let tree = on_cpu(&graph, sources);
        let mut reached = 0;
        for state in graph.states() {
            let Some(path) = tree.path_to(state) else {
                prop_assert_eq!(tree.distance(state), None);
                continue;
            };
            reached += 1;
            prop_assert_eq!(tree.distance(state), Some(path.len() as u32 - 1));
            prop_assert!(sources.contains(&path[0]) && path[path.len() - 1] == state);
            for edge in path.windows(2) {
                prop_assert!(graph.successors(edge[0]).contains(&edge[1]));
            }
        }
        prop_assert_eq!(tree.num_reached(), reached);
        prop_assert_eq!(tree.level_sizes().iter().sum::<u64>(), reached as u64);
    }
}

#[test]
fn all_small_digraphs_can_be_searched_at_once() {
    let (graph, sources) = all_small_digraphs();
    assert_eq!(
        (graph.num_states(), sources.len()),
        (2 + 2 * 16 + 3 * 512, 530)
    );
    let tree = on_cpu(&graph, &sources);
    // In half of the digraphs an edge leads to a second state. In those of three states, the
    // farthest state is two edges away.
    assert_eq!(tree.level_sizes().len(), 3);
    assert_eq!(tree.level_sizes()[0], 530);
}

#[test]
fn the_nearest_state_is_the_smallest_of_those_that_are_equally_near() {
    // State 0 leads to 2 and 1, and 1 leads to 3.
    let graph = digraph(5, |state| {
        [vec![2, 1], vec![3], vec![], vec![], vec![]][state as usize].clone()
    });
    let tree = on_cpu(&graph, &[StateId(0)]);
    let nearest = |states: &[u32]| tree.nearest(states.iter().map(|&state| StateId(state)));
    assert_eq!(nearest(&[4, 3, 2, 1]), Some(StateId(1)));
    assert_eq!(nearest(&[4]), None);
}

struct Impatient;

impl Observer for Impatient {
    fn is_cancelled(&self) -> bool {
        true
    }
}

#[test]
fn a_search_can_be_cancelled() {
    let path = digraph(1 << 15, |state| vec![(state + 1) % (1 << 15)]);
    let options = Options {
        observer: &Impatient,
        ..Options::default()
    };
    assert_eq!(
        search(&path, &[StateId(0)], &options),
        Err(Error::Cancelled)
    );
}
