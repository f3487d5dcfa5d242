//! Tests that a graph that is already on the device has the components that the CPU finds in it.

use crate::common::{graph, model};
use crate::device::engine;
use crate::models::models;
use decompose::gpu::worklist::{Tuning, WorklistGraph};
use decompose::gpu::{DeviceGraph, GpuOptions, GraphLocation};
use decompose::{Options, Silent, decompose};
use gpu::{Gpu, Shard};
use mdp_graph::{ComponentKind, Components, MdpGraph, StateId};
use proptest::prelude::*;

const KINDS: [ComponentKind; 3] = [ComponentKind::Scc, ComponentKind::Mec, ComponentKind::Bscc];

fn on_cpu(graph: &MdpGraph, kind: ComponentKind) -> Components {
    decompose(graph, kind, &Options::default()).expect("nobody cancels")
}

/// Uploads the graph, with its targets in pieces of this many states. Pieces without branches are
/// left out, as in graphs of explorations.
fn in_pieces(engine: &Gpu, graph: &MdpGraph, states: usize) -> DeviceGraph {
    let upload = |numbers: &[u32]| {
        engine
            .upload("a part of a graph", numbers)
            .expect("there is room")
    };
    let mut targets = Vec::new();
    for first in (0..graph.num_states()).step_by(states.max(1)) {
        let rows = first..(first + states).min(graph.num_states());
        let choices = [rows.start, rows.end].map(|state| graph.choice_offsets()[state] as usize);
        let [begin, end] = choices.map(|choice| graph.branch_offsets()[choice] as usize);
        if begin < end {
            let piece = &graph.all_targets()[begin..end];
            targets.push(Shard {
                rows: rows.start as u32..rows.end as u32,
                elements: begin as u64..end as u64,
                buffer: upload(StateId::as_numbers(piece)),
            });
        }
    }
    let (choices, branches) = (graph.choice_offsets(), graph.branch_offsets());
    DeviceGraph::new(engine, upload(choices), upload(branches), targets)
}

fn check(graph: &MdpGraph) {
    let Some(engine) = engine() else { return };
    let whole = DeviceGraph::upload(engine, graph).expect("there is room");
    let pieces = in_pieces(engine, graph, 3);
    for resident in [&whole, &pieces] {
        assert_eq!(resident.num_states(), graph.num_states());
        assert_eq!(resident.num_choices(), graph.num_choices());
        assert_eq!(resident.num_branches(), graph.num_branches());
        assert!(resident.download().expect("the device answers") == *graph);
        for kind in KINDS {
            for max_binding in [None, Some(in_shards(graph))] {
                let options = GpuOptions {
                    max_binding,
                    ..GpuOptions::default()
                };
                let found = resident.decompose(kind, &options, &Silent);
                let found = found.expect("there is room");
                assert_eq!(found, on_cpu(graph, kind), "{kind:?} {max_binding:?}");
            }
        }
    }
}

/// Returns the size of a binding for which the edges are cut into several shards, unless a state
/// has half of the edges.
fn in_shards(graph: &MdpGraph) -> u64 {
    let mut rows = vec![[0_u64; 2]; graph.num_states()];
    for state in graph.states() {
        for target in graph.choices(state).flat_map(|c| graph.targets(c)) {
            rows[state.index()][0] += 1;
            rows[target.index()][1] += 1;
        }
    }
    let longest = rows.into_iter().flatten().max().unwrap_or_default();
    4 * longest.max(graph.num_branches() as u64 / 4).max(1)
}

/// Checks what is found if the host downloads the graph and finishes the search.
fn check_host(graph: &MdpGraph) {
    let Some(engine) = engine() else { return };
    let resident = in_pieces(engine, graph, 2);
    let tuning = Tuning {
        host_percent: Some(0),
        ..Tuning::default()
    };
    for kind in [ComponentKind::Scc, ComponentKind::Mec] {
        let location = GraphLocation::OnDevice(&resident, kind);
        let loaded = WorklistGraph::load(engine, location, &GpuOptions::default());
        let mut loaded = loaded.expect("there is room");
        loaded.tune(&tuning).expect("there is room");
        let found = loaded.find_components(&Silent);
        let (marks, _) = found.expect("the search succeeds");
        let components = match kind {
            ComponentKind::Mec => Components::from_mec_marks(marks),
            ComponentKind::Scc | ComponentKind::Bscc => Components::from_scc_marks(graph, marks),
        };
        assert_eq!(components, on_cpu(graph, kind));
    }
}

#[test]
fn models_on_the_device_have_the_components_of_the_cpu() {
    for model in models(100) {
        check(&model.graph);
        check_host(&model.graph);
    }
}

/// The edges are cut between states into shards that fit a binding, whichever states the pieces of
/// the targets end with.
#[test]
fn edges_that_do_not_fit_a_binding_are_cut_into_shards() {
    let Some(engine) = engine() else { return };
    let ring = |s: u32| vec![vec![(s + 1) % 60], vec![s, (s + 7) % 60]];
    let graph = graph(&(0..60).map(ring).collect::<Vec<_>>());
    let resident = in_pieces(engine, &graph, 11);
    let options = GpuOptions {
        max_binding: Some(4 * 25),
        ..GpuOptions::default()
    };
    let sccs = WorklistGraph::load(
        engine,
        GraphLocation::OnDevice(&resident, ComponentKind::Scc),
        &options,
    );
    assert_eq!(sccs.expect("there is room").num_shards(), 5);
    for kind in KINDS {
        let found = resident.decompose(kind, &options, &Silent);
        assert_eq!(found.expect("there is room"), on_cpu(&graph, kind));
    }
}

/// Graphs with so many edges are first searched as one component, without their choices. The first
/// one is; the second one, of two halves, is not.
#[test]
fn graphs_of_many_edges_have_the_components_of_the_cpu() {
    for size in [40, 20] {
        let row = |s: u32| -> Vec<Vec<u32>> {
            let other = |step: u32| s / size * size + (s + step) % size;
            vec![
                vec![other(1), other(2), s],
                vec![s],
                (3..7).map(other).collect(),
            ]
        };
        check(&graph(&(0..40).map(row).collect()));
    }
}

/// The error for a state with more edges than a binding can hold states both numbers.
#[test]
fn a_state_that_does_not_fit_a_binding_is_refused() {
    let Some(engine) = engine() else { return };
    let graph = graph(&vec![vec![vec![0, 1, 2, 3]]; 4]);
    let resident = DeviceGraph::upload(engine, &graph).expect("there is room");
    let options = GpuOptions {
        max_binding: Some(8),
        ..GpuOptions::default()
    };
    for kind in KINDS {
        let error = resident.decompose(kind, &options, &Silent);
        assert!(
            matches!(
                error,
                Err(decompose::Error::Gpu(gpu::Error::LimitExceeded {
                    needed: 3,
                    available: 2,
                    ..
                }))
            ),
            "{error:?}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    #[test]
    fn random_models_on_the_device_have_the_components_of_the_cpu(model in model(30)) {
        let graph = graph(&model);
        check(&graph);
        check_host(&graph);
    }
}
