//! Tests of maximal end components by the worklist engine: the models on which definitions differ,
//! and agreement with the CPU.

use super::{in_turns, load_in_shards, tunings};
use crate::common::{Model, graph, model};
use crate::device::{self, engine};
use crate::mecs::{dead_ends, with_differing_definitions};
use crate::models::{self, models};
use crate::variants::Kind;
use decompose::Silent;
use decompose::gpu::worklist::{Tuning, WorklistGraph};
use decompose::gpu::{GpuOptions, HostGraph};
use gpu::Gpu;
use mdp_graph::{Components, MdpGraph};
use proptest::prelude::*;

/// Loads the graph in one piece.
pub(super) fn load<'g>(engine: &Gpu, graph: &'g MdpGraph) -> WorklistGraph<'g> {
    let options = GpuOptions::default();
    WorklistGraph::load(engine, HostGraph::Choices(graph), &options).expect("the graph fits")
}

fn components(loaded: &WorklistGraph<'_>) -> Components {
    let (marks, _) = loaded
        .find_components(&Silent)
        .expect("the search succeeds");
    Components::from_mec_marks(marks)
}

/// Checks the components with every tuning, in one piece or in shards by turns.
fn finds(graph: &MdpGraph, expected: &Components) {
    let Some(engine) = engine() else { return };
    let mut layouts = [
        load(engine, graph),
        load_in_shards(engine, HostGraph::Choices(graph)),
    ];
    for (i, tuning) in tunings().iter().enumerate() {
        let loaded = &mut layouts[i % 2];
        loaded.tune(tuning).expect("there is room");
        let shards = loaded.num_shards();
        assert!(
            components(loaded) == *expected,
            "{tuning:?}, {shards} shards"
        );
    }
}

fn on_cpu(graph: &MdpGraph) -> Components {
    device::expected(graph, Kind::Mecs)
}

/// Checks that the components with these labels are found: for each state the smallest state of its
/// component, or none.
fn finds_known(graph: &MdpGraph, labels: &[Option<u32>]) {
    let marks = labels.iter().map(|label| label.unwrap_or(Components::NONE));
    let expected = Components::from_mec_marks(marks.collect::<Vec<_>>());
    finds(graph, &expected);
}

fn finds_labels(model: &Model, labels: &[Option<u32>]) {
    finds_known(&graph(model), labels);
}

#[test]
fn models_on_which_definitions_differ_have_the_known_components() {
    for (graph, known) in with_differing_definitions() {
        finds_known(&graph, &known);
    }
}

#[test]
fn dead_states_remove_others_before_the_first_search() {
    let (mut model, labels) = dead_ends();
    // Each of these two states has a choice that keeps them together, and loses another one.
    model.extend([vec![vec![7], vec![7, 1]], vec![vec![6], vec![4, 6]]]);
    finds_labels(&model, &[&labels[..], &[Some(6), Some(6)]].concat());
    finds_labels(&vec![], &[]);
    finds_labels(&vec![vec![]], &[None]);
    finds_labels(&vec![vec![vec![0]]], &[Some(0)]);
}

#[test]
fn choices_that_leave_a_colour_leave_their_component() {
    // In each gadget, a state of the first pair leads back or to the second pair, so that only the
    // second pair is an end component. The first pivot is in the clique, which no gadget reaches.
    // So the pairs are distinguished by their colours alone.
    let (clique, gadgets) = (6, 24);
    let mut model: Model = (0..clique)
        .map(|_| (0..clique).map(|to| vec![to]).collect())
        .collect();
    for gadget in 0..gadgets {
        let first = clique + 4 * gadget;
        model.extend([
            vec![vec![first + 1]],
            vec![vec![first, first + 2]],
            vec![vec![first + 3]],
            vec![vec![first + 2]],
        ]);
    }
    let labels = (0..gadgets).flat_map(|gadget| {
        let second = clique + 4 * gadget + 2;
        [None, None, Some(second), Some(second)]
    });
    let clique = vec![Some(0); clique as usize];
    finds_labels(&model, &[clique, labels.collect()].concat());
}

#[test]
fn components_are_split_round_by_round() {
    // The pairs of states form a cycle. The choice that leads on from the last pair may also leave,
    // so that the cycle is no end component; then each pair is a component of its own. Each pair
    // has a choice that may lead to both of its states, and a choice that leads out.
    let pairs = 9;
    let sink = 2 * pairs;
    let mut model: Model = (0..pairs)
        .flat_map(|pair| {
            let onward = match pair + 1 == pairs {
                true => vec![0, sink],
                false => vec![2 * pair + 2],
            };
            let (a, b) = (2 * pair, 2 * pair + 1);
            [vec![vec![a, b]], vec![vec![a], onward]]
        })
        .collect();
    model.push(vec![vec![sink]]);
    let labels = (0..pairs).flat_map(|pair| [Some(2 * pair); 2]).collect();
    finds_labels(&model, &[labels, vec![Some(sink)]].concat());
}

#[test]
fn rows_of_very_many_edges_are_left_to_all_workgroups() {
    // Each of two hubs has a choice for each of its spokes, which lead back. One spoke of the
    // second hub may also lead to the first hub. The second component loses this spoke; its hub
    // stays with the other spokes.
    let half: u32 = 80;
    let hub = |at: u32| (at + 1..at + half).map(|t| vec![t]).collect::<Vec<_>>();
    let mut model: Model = (0..2 * half)
        .map(|s| match s % half {
            0 => hub(s),
            _ => vec![vec![s / half * half]],
        })
        .collect();
    model[half as usize + 7] = vec![vec![half, 0]];
    let graph = graph(&model);
    let expected = on_cpu(&graph);
    assert_eq!(
        (expected.len(), expected.num_member_states()),
        (2, 2 * half as usize - 1)
    );
    finds(&graph, &expected);
}

/// Returns a path to a cycle. Before the path is a state whose only choice may also lead along
/// another path, to a state without choices. Two states to which nothing leads have an edge to this
/// state. Before all of these lie `first` states without choices.
fn path_behind_a_dead_state(first: u32) -> Model {
    let (path, dead_ends) = (60, 20);
    let fork = first;
    let end = fork + path;
    let last = end + dead_ends;
    let mut model: Model = vec![vec![]; first as usize];
    model.push(vec![vec![fork + 1, last]]);
    model.extend((fork + 1..end).map(|s| vec![vec![s + 1]]));
    model.push(vec![vec![fork + path - 1]]);
    model.push(vec![]);
    model.extend((end + 2..=last).map(|s| vec![vec![s - 1]]));
    model.extend([vec![vec![fork]], vec![vec![fork]]]);
    model
}

/// The state before the path is trimmed at the same moment as the path. Then no state of the path
/// may be trimmed without the one before it, whatever their numbers are.
#[test]
fn a_path_is_trimmed_as_a_whole_or_not_at_all() {
    let Some(engine) = engine() else { return };
    let soon = Tuning {
        hops: 1,
        most_thin: 1,
        ..super::alone()
    };
    for first in 0..32 {
        let graph = graph(&path_behind_a_dead_state(first));
        let mut loaded = load(engine, &graph);
        loaded.tune(&soon).expect("there is room");
        assert!(components(&loaded) == on_cpu(&graph), "{first}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn it_agrees_with_the_cpu_on_random_models(model in model(150)) {
        let graph = graph(&model);
        finds(&graph, &on_cpu(&graph));
    }
}

/// Checks models with at most this many states.
fn agrees_on_models(max_states: u32) {
    let Some(engine) = engine() else { return };
    for models::Model { path, graph, .. } in models(max_states) {
        eprintln!("{} ({} states)", path.display(), graph.num_states());
        let expected = on_cpu(&graph);
        let loaded = load(engine, &graph);
        assert!(components(&loaded) == expected);
    }
}

#[test]
fn it_agrees_with_the_cpu_on_fixtures_and_small_reference_models() {
    agrees_on_models(400);
}

#[test]
#[ignore = "a minute with a software adapter"]
fn it_agrees_with_the_cpu_on_all_reference_models() {
    agrees_on_models(120_000);
}

#[test]
fn unchecked_kernels_find_the_same_components() {
    let Some(engine) = device::unchecked() else {
        return;
    };
    for (models::Model { path, graph, .. }, tuning) in models(50).into_iter().zip(in_turns()) {
        eprintln!("{} ({} states)", path.display(), graph.num_states());
        let (expected, mut loaded) = (on_cpu(&graph), load(engine, &graph));
        loaded.tune(&tuning).expect("there is room");
        assert!(components(&loaded) == expected, "{tuning:?}");
    }
}

#[test]
fn twenty_runs_find_the_same_components() {
    let Some(engine) = engine() else { return };
    let largest = models(300)
        .into_iter()
        .max_by_key(|model| model.graph.num_branches());
    let graph = largest.expect("there are fixtures").graph;
    let (expected, loaded) = (on_cpu(&graph), load(engine, &graph));
    for run in 0..20 {
        assert!(components(&loaded) == expected, "run {run}");
    }
}
