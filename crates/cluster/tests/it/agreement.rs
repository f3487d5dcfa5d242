//! Several workers find what one machine finds.

use crate::support::{FAR, expected, found, model};
use cluster::Tuning;
use mdp_graph::{ComponentKind, MdpGraph};
use proptest::prelude::*;
use std::sync::Arc;
use std::time::Duration;

const KINDS: [ComponentKind; 2] = [ComponentKind::Scc, ComponentKind::Mec];

/// Returns all combinations of these options: with or without sweeps; the rest is sent to one
/// worker if it is small, or never.
fn tunings() -> impl Iterator<Item = Tuning> {
    let sweeps = [0, u64::MAX].into_iter();
    sweeps.flat_map(|sweep_from| {
        let after = Some(Duration::from_nanos(200));
        let rooms = [
            (None, None),
            (Some(60), None),
            (Some(0), None),
            (Some(0), after),
            (Some(0), Some(Duration::ZERO)),
        ];
        rooms.map(|(gather_up_to, gather_after)| Tuning {
            sweep_from,
            gather_up_to,
            gather_after,
            ask_every: 1,
        })
    })
}

fn check(graph: MdpGraph, workers: usize, first: u64) -> Result<(), TestCaseError> {
    let graph = Arc::new(graph);
    for kind in KINDS {
        let expected = expected(&graph, kind, first);
        for tuning in tunings() {
            let (found, _) = found(&graph, kind, (workers, tuning), first);
            prop_assert_eq!(&found, &expected, "{:?}, {} {:?}", kind, workers, tuning);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(80))]

    #[test]
    fn random_models_have_the_same_components(
        graph in model(40),
        workers in prop::sample::select(vec![1usize, 2, 3, 5]),
        first in prop::sample::select(vec![0, FAR]),
    ) {
        check(graph, workers, first)?;
    }
}

#[test]
fn small_models_have_the_same_components() {
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

/// Returns the numbers below `states` in an order that is unrelated to their size.
fn shuffled(states: u32) -> Vec<u32> {
    let mut order: Vec<u32> = (0..states).collect();
    order.sort_by_key(|&state| state.wrapping_mul(0x9e37_79b9).rotate_left(15));
    order
}

/// Returns a cycle in which nearly every branch leads to another worker, and the path without its
/// last branch, whose choices may also lead back to the first state.
fn weaving(states: u32) -> [MdpGraph; 2] {
    let order = shuffled(states);
    let mut next = vec![0; states as usize];
    for (place, &state) in order.iter().enumerate() {
        next[state as usize] = order[(place + 1) % order.len()];
    }
    let cycle = next.iter().map(|&next| vec![vec![next]]);
    let (first, last) = (order[0], order[order.len() - 1]);
    let path = (0..states).map(|state| match state == last {
        true => vec![],
        false => vec![vec![next[state as usize], first]],
    });
    let graph =
        |choices: Vec<Vec<Vec<u32>>>| MdpGraph::from_choices(&choices).expect("well formed");
    [graph(cycle.collect()), graph(path.collect())]
}

#[test]
fn a_path_that_weaves_between_workers_takes_few_supersteps() {
    for graph in weaving(20_000) {
        let graph = Arc::new(graph);
        for (kind, workers) in KINDS.into_iter().flat_map(|kind| [(kind, 2), (kind, 5)]) {
            for sweep_from in [0, u64::MAX] {
                let tuning = Tuning {
                    sweep_from,
                    ..Tuning::default()
                };
                let (found, supersteps) = found(&graph, kind, (workers, tuning), 0);
                assert_eq!(found, expected(&graph, kind, 0), "{kind:?}, {workers}");
                assert!(
                    supersteps < 150,
                    "{kind:?}, {workers} workers: {supersteps}"
                );
            }
        }
    }
}
