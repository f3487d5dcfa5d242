//! Tests that the worklist engine finds the components that the CPU finds, stage by stage and as a
//! whole, however the work is distributed.

mod functional;
mod generated;
mod mecs;
mod races;
mod shapes;
mod thin;

use crate::common::{graph, model};
use crate::device::{self, engine, path_both_ways};
use crate::models::{Model, models};
use crate::variants::Kind;
use decompose::gpu::worklist::{Stages, Tuning, WorklistGraph};
use decompose::gpu::{GpuOptions, HostGraph};
use decompose::{Error, Observer, Silent};
use gpu::Gpu;
use mdp_graph::{Components, Digraph, MdpGraph, StateId};
use proptest::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering};

fn load<'g>(engine: &Gpu, graph: &'g Digraph) -> WorklistGraph<'g> {
    WorklistGraph::load(engine, HostGraph::Edges(graph), &GpuOptions::default())
        .expect("the graph fits")
}

/// Loads a graph in shards of the least size that is possible but at least a third, so that there
/// are a first one, a last one, and one between.
fn load_in_shards<'g>(engine: &Gpu, graph: HostGraph<'g>) -> WorklistGraph<'g> {
    let mut bytes = (graph.num_edges() as u64 * 4 / 3).max(4);
    loop {
        let options = GpuOptions {
            max_binding: Some(bytes),
            ..GpuOptions::default()
        };
        match WorklistGraph::load(engine, graph, &options) {
            Err(Error::BindingTooSmall { least, .. }) => bytes = least,
            loaded => return loaded.expect("the graph fits in shards"),
        }
    }
}

/// Returns a tuning for a software device: nothing is left to the host, and no iteration is started
/// after the end.
fn alone() -> Tuning {
    Tuning {
        most_groups: 64,
        host_percent: None,
        fixed_grid: false,
        ..Tuning::default()
    }
}

/// Returns ways to distribute work that exercise all parts of the engine on small graphs: no hop or
/// many; a workgroup for each entry, or one for all; hubs of more than two edges; division by
/// colours after each round, tried or done, or as soon as little is found; all entries spilled at
/// once; the rest left to the host after the first iterations; with and without the attempt to take
/// the graph for one component first; with and without inline adjacency; all iterations with the
/// same number of workgroups, also after the end, or not.
fn tunings() -> Vec<Tuning> {
    let base = alone();
    vec![
        base,
        Tuning {
            host_percent: Some(0),
            fixed_grid: true,
            ..base
        },
        Tuning {
            hops: 0,
            search_hops: 0,
            by_degree: false,
            one_component_degree: 0,
            inline_degree: 0,
            ..base
        },
        Tuning {
            share: 1,
            hops: 3,
            search_hops: 2,
            most_thin: 2,
            left_times: 0,
            hub_degree: 2,
            one_component_degree: u32::MAX,
            inline_degree: u32::MAX,
            ..base
        },
        Tuning {
            hops: 1,
            search_hops: 1,
            most_thin: 1,
            hub_degree: 3,
            one_component_degree: 0,
            ..base
        },
        Tuning {
            most_groups: 1,
            most_thin: 2,
            most_slow_rounds: 1,
            most_propagations: 2,
            narrow: 2,
            hub_degree: 1,
            by_degree: false,
            inline_degree: u32::MAX,
            ..base
        },
        Tuning {
            share: 2,
            spill_limit: 1,
            wide: 1,
            wide_states: 0,
            hub_degree: 16,
            one_component_degree: 0,
            fixed_grid: true,
            inline_degree: 0,
            ..base
        },
    ]
}

/// Returns these ways in turn, without end.
fn in_turns() -> impl Iterator<Item = Tuning> {
    tunings().into_iter().cycle()
}

fn components(graph: &MdpGraph, loaded: &WorklistGraph<'_>) -> Components {
    let (marks, _) = loaded
        .find_components(&Silent)
        .expect("the search succeeds");
    Components::from_scc_marks(graph, marks)
}

fn on_cpu(graph: &MdpGraph) -> Components {
    device::expected(graph, Kind::Sccs)
}

/// Calls `check` with the graph in every tuning, in one piece or in shards by turns.
fn in_every_way(graph: &Digraph, mut check: impl FnMut(&WorklistGraph<'_>, String)) {
    let Some(engine) = engine() else { return };
    let mut layouts = [
        load(engine, graph),
        load_in_shards(engine, HostGraph::Edges(graph)),
    ];
    for (i, tuning) in tunings().iter().enumerate() {
        let loaded = &mut layouts[i % 2];
        loaded.tune(tuning).expect("there is room");
        check(
            loaded,
            format!("{tuning:?}, {} shards", loaded.num_shards()),
        );
    }
}

fn check(graph: &MdpGraph) {
    let expected = on_cpu(graph);
    in_every_way(&Digraph::new(graph), |loaded, how| {
        assert!(components(graph, loaded) == expected, "{how}");
    });
}

/// Returns which states trimming removes, by the definition: as long as a state has no edge from,
/// or no edge to, another state that is left, it is removed.
fn trimmed(graph: &Digraph) -> Vec<bool> {
    let rows = [graph.clone(), graph.transpose()];
    let mut gone = vec![false; graph.num_states()];
    let mut waiting: Vec<usize> = (0..gone.len()).collect();
    while let Some(state) = waiting.pop() {
        let row = |rows: &Digraph| -> Vec<usize> {
            let row = rows.successors(StateId::from_index(state)).iter();
            row.map(|target| target.index()).collect()
        };
        let neighbours = rows.each_ref().map(row);
        let lives = |row: &Vec<usize>| row.iter().any(|&other| other != state && !gone[other]);
        if !gone[state] && !neighbours.iter().all(lives) {
            gone[state] = true;
            waiting.extend(neighbours.iter().flatten());
        }
    }
    gone
}

fn check_trimming(graph: &Digraph) {
    let expected = trimmed(graph);
    in_every_way(graph, |loaded, how| {
        let marks = loaded.run_stages(Stages::Trim).expect("trimming succeeds");
        for (state, (mark, gone)) in marks.iter().zip(&expected).enumerate() {
            assert_eq!(*mark, gone.then_some(state as u32), "state {state}, {how}");
        }
    });
}

fn check_search_alone(graph: &MdpGraph) {
    let expected = on_cpu(graph);
    in_every_way(&Digraph::new(graph), |loaded, how| {
        let marks = loaded
            .run_stages(Stages::Search)
            .expect("searching succeeds");
        let marks: Option<Vec<u32>> = marks.into_iter().collect();
        let marks = marks.expect("every state is in a component");
        assert!(
            Components::from_scc_marks(graph, marks) == expected,
            "{how}"
        );
    });
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn it_agrees_with_the_cpu_on_random_models(model in model(300)) {
        check(&graph(&model));
    }

    #[test]
    fn trimming_alone_agrees_with_its_oracle(model in model(300)) {
        check_trimming(&Digraph::new(&graph(&model)));
    }

    #[test]
    fn searching_alone_agrees_with_the_cpu(model in model(60)) {
        check_search_alone(&graph(&model));
    }

    #[test]
    fn it_agrees_with_the_cpu_on_deep_and_on_wide_graphs(graph in shapes::any(250)) {
        check(&graph);
    }
}

proptest! {
    // A software device takes time in proportion to the square of the depth, because each level
    // starts all workgroups.
    #![proptest_config(ProptestConfig::with_cases(2))]

    #[test]
    fn it_agrees_with_the_cpu_on_graphs_of_more_workgroups(graph in shapes::any(800)) {
        check(&graph);
    }
}

#[test]
fn it_agrees_with_the_cpu_on_fixtures_and_small_reference_models() {
    let Some(engine) = engine() else { return };
    for Model { path, graph, .. } in models(500) {
        eprintln!("{} ({} states)", path.display(), graph.num_states());
        let expected = on_cpu(&graph);
        let digraph = Digraph::new(&graph);
        let loaded = load(engine, &digraph);
        for run in 0..2 {
            assert!(components(&graph, &loaded) == expected, "run {run}");
        }
    }
}

#[test]
fn unchecked_kernels_find_the_same_components() {
    let Some(engine) = device::unchecked() else {
        return;
    };
    for (Model { path, graph, .. }, tuning) in models(400).into_iter().zip(in_turns()) {
        eprintln!("{} ({} states)", path.display(), graph.num_states());
        let expected = on_cpu(&graph);
        let digraph = Digraph::new(&graph);
        let mut loaded = load(engine, &digraph);
        loaded.tune(&tuning).expect("there is room");
        assert!(components(&graph, &loaded) == expected, "{tuning:?}");
    }
}

#[test]
fn states_without_edges_and_graphs_without_states_are_searched() {
    for rows in [
        vec![],
        vec![vec![]],
        vec![vec![0]],
        vec![vec![], vec![], vec![1]],
    ] {
        let graph = shapes::digraph(&rows);
        check(&graph);
        check_trimming(&Digraph::new(&graph));
        check_search_alone(&graph);
    }
}

#[test]
fn a_path_of_many_levels_takes_few_iterations() {
    let Some(engine) = engine() else { return };
    let n = 5000;
    let graph = path_both_ways(n);
    let digraph = Digraph::new(&graph);
    let loaded = load(engine, &digraph);
    let (marks, profile) = loaded
        .find_components(&Silent)
        .expect("the search succeeds");
    assert_eq!(Components::from_scc_marks(&graph, marks).len(), 1);
    assert_eq!(profile.rounds, 1);
    assert!(profile.iterations < u64::from(n) / 50, "{profile:?}");
}

/// If a round had only one pivot, it would find one of these components.
#[test]
fn many_components_that_do_not_reach_one_another_take_few_rounds() {
    let Some(engine) = engine() else { return };
    let pairs: Vec<Vec<u32>> = (0..400).map(|state| vec![state ^ 1]).collect();
    let graph = shapes::digraph(&pairs);
    let digraph = Digraph::new(&graph);
    let mut loaded = load(engine, &digraph);
    let (marks, profile) = loaded
        .find_components(&Silent)
        .expect("the search succeeds");
    assert_eq!(Components::from_scc_marks(&graph, marks).len(), 200);
    // The last round finds all components that are left, and colours confirm it.
    assert_eq!(
        profile.rounds,
        u64::from(Tuning::default().most_slow_rounds) + 1
    );
    // Here, colours are given up, and tried again with twice as many iterations.
    let impatient = Tuning {
        most_thin: 1,
        most_propagations: 1,
        ..alone()
    };
    loaded.tune(&impatient).expect("there is room");
    let (marks, _) = loaded
        .find_components(&Silent)
        .expect("the search succeeds");
    assert_eq!(Components::from_scc_marks(&graph, marks).len(), 200);
}

#[test]
fn a_row_of_very_many_edges_is_left_to_all_workgroups() {
    // Twice, a hub has edges from and to all its spokes. An edge leads from the first part to the
    // second.
    let half = 600;
    let row = |s: u32| match s % half {
        0 if s == 0 => (1..=half).collect(),
        0 => (half + 1..2 * half).collect(),
        _ => vec![s / half * half],
    };
    let graph = shapes::digraph(&(0..2 * half).map(row).collect::<Vec<_>>());
    assert_eq!(on_cpu(&graph).len(), 2);
    check(&graph);
}

#[test]
fn a_search_can_be_stopped_and_repeated() {
    /// An observer that cancels when it is polled for the second time.
    struct Impatient(AtomicUsize);
    impl Observer for Impatient {
        fn is_cancelled(&self) -> bool {
            self.0.fetch_add(1, Ordering::Relaxed) >= 1
        }
    }
    let Some(engine) = engine() else { return };
    let graph = path_both_ways(3000);
    let digraph = Digraph::new(&graph);
    let mut loaded = load(engine, &digraph);
    let level_by_level = Tuning { hops: 0, ..alone() };
    loaded.tune(&level_by_level).expect("there is room");
    let stopped = loaded.find_components(&Impatient(AtomicUsize::new(0)));
    assert_eq!(stopped.unwrap_err(), Error::Cancelled);
    // The cancelled search has no effect on the next one.
    assert_eq!(components(&graph, &loaded).len(), 1);
}

/// An observer that requests the work of the device.
struct Curious;

impl Observer for Curious {
    fn wants_work(&self) -> bool {
        true
    }
}

/// In a graph that is one component, each search visits each edge once.
#[test]
fn edges_that_are_looked_at_are_counted() {
    let Some(engine) = engine() else { return };
    let states = 40;
    let all: Vec<Vec<u32>> = vec![(0..states).collect(); states as usize];
    let graph = shapes::digraph(&all);
    let digraph = Digraph::new(&graph);
    let mut loaded = load(engine, &digraph);
    for whole in [0, u32::MAX] {
        let tuning = Tuning {
            one_component_degree: whole,
            ..alone()
        };
        loaded.tune(&tuning).expect("there is room");
        let (_, profile) = loaded
            .find_components(&Curious)
            .expect("the search succeeds");
        let edges: u64 = profile.phases.iter().map(|part| part.edges).sum();
        assert_eq!(edges, 2 * u64::from(states * (states - 1)), "{whole}");
    }
}
