//! Tests that several GPUs find what the CPU finds, even if some of them fail.

use super::on_gpus;
use crate::device::gpu_set::GpuSet;
use decompose::Options;
use decompose::gpu::GpuOptions;
use gpu::{Gpu, Request};
use mdp_graph::{ComponentKind, Components, MdpGraph, StateId};
use proptest::prelude::*;
use std::sync::Arc;

/// Returns models of up to 40 states: uniformly random ones, and long cycles with chords.
fn model() -> impl Strategy<Value = MdpGraph> {
    (1..=40u32, any::<bool>()).prop_flat_map(|(n, is_cycle)| {
        let target = move |state: u32| match is_cycle {
            true => prop_oneof![6 => Just((state + 1) % n), 1 => 0..n].boxed(),
            false => (0..n).boxed(),
        };
        let row = move |state: u32| {
            let choice = prop::collection::btree_set(target(state), 1..4)
                .prop_map(|targets| targets.into_iter().collect::<Vec<_>>());
            prop::collection::vec(choice, 0..4)
        };
        (0..n)
            .map(row)
            .collect::<Vec<_>>()
            .prop_map(|choices| MdpGraph::from_choices(&choices).expect("well formed"))
    })
}

fn labels(graph: &MdpGraph, kind: ComponentKind) -> Vec<u32> {
    let found = decompose::decompose(graph, kind, &Options::default()).expect("it fits");
    let label = |state| {
        found
            .smallest_of(state)
            .map_or(Components::NONE, |label: StateId| label.0)
    };
    graph.states().map(label).collect()
}

fn open() -> Option<Gpu> {
    let options = GpuOptions::from(Request::named(test_models::adapter()));
    test_models::device_or_skip(Gpu::open(&options.request))
}

#[test]
fn several_gpus_and_the_cpu_find_the_same_components() {
    let Some(good) = open() else { return };
    let lost = open().expect("it opened before");
    lost.lose();
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(60)
    });
    let gpus = prop::collection::vec(prop::bool::weighted(0.8), 1..4);
    let checked = runner.run(&(model(), gpus), |(graph, are_good)| {
        let graph = Arc::new(graph);
        for kind in [ComponentKind::Scc, ComponentKind::Mec] {
            let expected = labels(&graph, kind);
            let gpu = |&is_good: &bool| if is_good { good.clone() } else { lost.clone() };
            let gpus = GpuSet::on(are_good.iter().map(gpu).collect());
            let found = on_gpus(&graph, kind, &gpus, &Arc::default());
            prop_assert_eq!(found.expect("it fits"), expected);
            let failed = are_good.iter().filter(|&&is_good| !is_good).count();
            let says = gpus.name().contains(&format!("of which {failed} failed"));
            prop_assert_eq!(says, failed > 0);
        }
        Ok(())
    });
    checked.expect("equal");
}
