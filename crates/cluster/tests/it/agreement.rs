//! Several workers find what one machine finds.

use crate::support::{FAR, expected, found, model};
use mdp_graph::{ComponentKind, MdpGraph};
use proptest::prelude::*;
use std::sync::Arc;

const KINDS: [ComponentKind; 2] = [ComponentKind::Scc, ComponentKind::Mec];

fn check(graph: MdpGraph, workers: usize, first: u64) -> Result<(), TestCaseError> {
    let graph = Arc::new(graph);
    for kind in KINDS {
        let (found, expected) = (
            found(&graph, kind, workers, first),
            expected(&graph, kind, first),
        );
        prop_assert_eq!(found, expected, "{:?}, {} workers", kind, workers);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn on_random_models(
        graph in model(40),
        workers in prop::sample::select(vec![1usize, 2, 3, 5]),
        first in prop::sample::select(vec![0, FAR]),
    ) {
        check(graph, workers, first)?;
    }
}

#[test]
fn on_fixtures_and_degenerate_models() {
    let none: [Vec<Vec<u32>>; 0] = [];
    let deadlock: [Vec<Vec<u32>>; 1] = [vec![]];
    let graphs = [
        MdpGraph::from_choices(&none),
        MdpGraph::from_choices(&deadlock),
        MdpGraph::from_choices(&[vec![vec![0]]]),
        // A cycle, each of whose states has another owner.
        MdpGraph::from_choices(&[1, 2, 3, 4, 0].map(|target| vec![vec![target]])),
    ];
    for graph in graphs {
        let graph = graph.expect("well formed");
        for workers in [1, 2, 3, 5] {
            check(graph.clone(), workers, 0).expect("the same components");
        }
    }
}
