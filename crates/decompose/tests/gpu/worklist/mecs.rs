//! Maximal end components by the worklist engine: the models that tell definitions apart, and
//! agreement with the CPU.

use super::{in_turns, tunings};
use crate::common::{Model, graph, model};
use crate::device::{self, engine};
use crate::mecs::{dead_ends, telling_apart};
use crate::models::{self, models};
use crate::variants::Kind;
use decompose::gpu::worklist::{Tuning, WorklistMdp};
use decompose::gpu::{GpuContext, GpuOptions};
use decompose::{Error, Silent};
use mdp_graph::{Components, MdpGraph};
use proptest::prelude::*;

/// The graph, whole.
pub(super) fn load<'g>(engine: &GpuContext, graph: &'g MdpGraph) -> WorklistMdp<'g> {
    let options = GpuOptions::default();
    engine
        .load_worklist_mdp(graph, &options)
        .expect("the graph fits")
}

/// The graph in shards as small as they go, but at least a third: a first, a last, and one between.
pub(super) fn load_in_shards<'g>(engine: &GpuContext, graph: &'g MdpGraph) -> WorklistMdp<'g> {
    let mut bytes = (graph.num_branches() as u64 * 4 / 3).max(4);
    loop {
        let options = GpuOptions {
            max_binding: Some(bytes),
            ..GpuOptions::default()
        };
        match engine.load_worklist_mdp(graph, &options) {
            Err(Error::BindingTooSmall { least, .. }) => bytes = least,
            loaded => return loaded.expect("the graph fits in shards"),
        }
    }
}

fn components(loaded: &WorklistMdp<'_>) -> Components {
    let (marks, _) = loaded.mecs(&Silent).expect("the search succeeds");
    Components::from_mec_marks(marks)
}

/// Tuned in every way, in one piece or in shards by turns.
fn finds(graph: &MdpGraph, expected: &Components) {
    let Some(engine) = engine() else { return };
    let mut layouts = [load(engine, graph), load_in_shards(engine, graph)];
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

/// These components are found: each state's smallest, or none.
fn finds_known(graph: &MdpGraph, labels: &[Option<u32>]) {
    let marks = labels.iter().map(|label| label.unwrap_or(Components::NONE));
    let expected = Components::from_mec_marks(marks.collect::<Vec<_>>());
    finds(graph, &expected);
}

fn finds_labels(model: &Model, labels: &[Option<u32>]) {
    finds_known(&graph(model), labels);
}

#[test]
fn the_models_that_tell_definitions_apart_are_answered_as_known() {
    for (graph, known) in telling_apart() {
        finds_known(&graph, &known);
    }
}

#[test]
fn dead_states_take_others_along_before_the_first_search() {
    let (mut model, labels) = dead_ends();
    // These stay together by a choice each, and lose another.
    model.extend([vec![vec![7], vec![7, 1]], vec![vec![6], vec![4, 6]]]);
    finds_labels(&model, &[&labels[..], &[Some(6), Some(6)]].concat());
    finds_labels(&vec![], &[]);
    finds_labels(&vec![vec![]], &[None]);
    finds_labels(&vec![vec![vec![0]]], &[Some(0)]);
}

#[test]
fn choices_that_leave_a_colour_leave_their_component() {
    // A state of the first pair of a gadget may go on to the second pair, so only that one is an
    // end component. The first pivot is in the clique, which no gadget reaches: colours alone tell
    // the pairs apart.
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
    // A cycle of pairs. The choice that leads on from the last pair may leave, so the cycle is
    // none; then the pairs are components of their own. Each has a choice that may lead to both of
    // its states, and one out.
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
    // Two hubs, each with a choice to each of its spokes, which lead back; one spoke of the second
    // may fall into the first. That takes the second apart: a hub that may no longer lead to that
    // spoke stays with the others.
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

/// A path to a cycle, after a state whose only choice may also lead along another path to a state
/// without choices. Two states lead to it, which nothing enters. `first` states lie before it.
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

/// The state before the path is trimmed at the moment at which the path is. Then none of the path's
/// states may be trimmed without the one before it, wherever that lies.
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

/// Models with at most this many states.
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
fn kernels_that_nobody_checks_find_the_same() {
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
fn twenty_runs_find_the_same() {
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
