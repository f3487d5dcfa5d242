//! Tests of the kernels and their host loops on the interpreter, which looks for data races under
//! several schedulers.

use crate::common::{digraph, graph, on_cpu};
use bfs::gpu::{DeviceEdges, LevelSearch, Parallel, Relaxation, Tuning};
use bfs::{Flags, Silent};
use mdp_graph::{MdpGraph, StateId};
use verify::run::{Interpreter, Schedule, Settings};
use verify::small::digraphs;

/// Returns a device whose seed and schedule differ from graph to graph.
fn device(seed: u64) -> Interpreter {
    Interpreter::new(Settings {
        schedule: match seed % 3 {
            0 => Schedule::RoundRobin,
            1 => Schedule::Random,
            _ => Schedule::Priorities { changes: 3 },
        },
        seed,
        subgroup: 32,
        resident: 1 + seed as u32 % 4,
        stale: seed % 2 == 1,
        ..Settings::default()
    })
}

/// Runs one of the searches, and returns the distances and parents. Searches 0 to 3 are by levels;
/// 2 and 3 of them treat frontiers as dense. Searches 4 to 11 are by relaxation.
fn found(device: &Interpreter, graph: &MdpGraph, which: usize, seed: u64) -> [Vec<u32>; 2] {
    let source = StateId(0);
    let gpu = device.gpu();
    let mut loaded = DeviceEdges::upload(&gpu, graph).expect("there is room");
    if which < 4 && which % 2 == 1 {
        loaded = loaded.with_reverse().expect("there is room");
    }
    let read = |distances| {
        let parents = loaded.parents(distances).expect("the search succeeds");
        [distances, &parents].map(|words| gpu.read(words).expect("the device answers"))
    };
    if which < 4 {
        let mut search = LevelSearch::new(&loaded, &[source]).expect("there is room");
        let dense_edges = (which >= 2).then_some(1);
        let tuning = match seed % 2 {
            // This is as on hardware. An iteration after the end is then run, too.
            1 => Tuning {
                most_groups: 3,
                levels: 2,
                fixed_grid: true,
                dense_edges,
                ..Tuning::default()
            },
            _ => Tuning {
                most_groups: 64,
                fixed_grid: false,
                dense_edges,
                ..Tuning::default()
            },
        };
        search.tune(tuning).expect("there is room");
        search.run(&Silent).expect("the search succeeds");
        return read(search.distances());
    }
    let parallel = [Parallel::Vertices, Parallel::Edges][which % 2];
    let flags = Flags::ALL[(which - 4) / 2];
    let search = Relaxation::new(&loaded, &[source], parallel, flags).expect("there is room");
    search.run(&Silent).expect("the search succeeds");
    read(search.distances())
}

fn check(graph: &MdpGraph, which: usize, seed: u64) {
    let device = device(seed);
    let source = StateId(0);
    let expected = on_cpu(graph, &[source]);
    let found = found(&device, graph, which, seed);
    assert_eq!(
        found,
        [expected.distances(), expected.parents()],
        "{which}, {graph:?}"
    );
    if let Some((kernel, finding)) = device.findings().first() {
        panic!("{which}, {graph:?}: {kernel}: {finding}");
    }
}

/// Each search runs on every digraph of two states, and on some of three.
#[test]
fn small_digraphs_are_searched_without_races() {
    let models = digraphs(2).chain(digraphs(3).step_by(23));
    for (seed, model) in (0..).zip(models) {
        let graph = graph(&model);
        for which in 0..12 {
            check(&graph, which, seed + which as u64);
        }
    }
}

/// All invocations share rows in several pieces, there are several workgroups, and some levels are
/// bottom up.
#[test]
fn larger_graphs_are_searched_without_races() {
    let hubs = digraph(2600, |state| match state {
        0 => (1..2600).collect(),
        1 => (0..300).collect(),
        _ => vec![state / 2],
    });
    let tree = digraph(700, |state| {
        (3 * state + 1..3 * state + 4).map(|t| t % 700).collect()
    });
    for (graph, seed) in [(&hubs, 4), (&tree, 0), (&tree, 1), (&tree, 2)] {
        for which in 0..4 {
            check(graph, which, seed);
        }
    }
    for which in 4..12 {
        check(&tree, which, which as u64);
    }
}

/// Strands lie side by side, with detours from one to another. Workgroups explore several levels
/// without waiting for each other.
#[test]
fn deep_graphs_are_searched_without_races() {
    let (width, length) = (70, 24);
    let n = width * length;
    let strands = digraph(n + 1, |state| match state {
        _ if state == n => (0..width).collect(),
        _ if state + width >= n => vec![],
        _ if state % 5 == 0 => vec![state + width, (state + 3 * width + 1).min(n - 1), state / 2],
        _ => vec![state + width],
    });
    for seed in 0..6 {
        let device = device(seed);
        let expected = on_cpu(&strands, &[StateId(n)]);
        let gpu = device.gpu();
        let loaded = DeviceEdges::upload(&gpu, &strands).expect("there is room");
        let mut search = LevelSearch::new(&loaded, &[StateId(n)]).expect("there is room");
        let tuning = Tuning {
            most_groups: 3,
            dense_edges: Some(1000),
            ..Tuning::default()
        };
        search.tune(tuning).expect("there is room");
        let statistics = search.run(&Silent).expect("the search succeeds");
        assert!(statistics.iterations < 16, "{statistics:?}");
        let found = gpu.read(search.distances()).expect("the device answers");
        assert_eq!(found, expected.distances(), "seed {seed}");
        assert_eq!(device.findings(), [], "seed {seed}");
    }
}
