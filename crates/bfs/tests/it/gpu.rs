//! Tests that compare all searches on a GPU with the CPU.
//!
//! The GPU is Mesa's lavapipe, or the adapter that `MAXEND_ADAPTER` names. Without it, tests print
//! a message and are skipped; if `CI` or `MAXEND_REQUIRE_GPU` is set, they fail.

use crate::common::{all_small_digraphs, digraph, graph, models, on_cpu};
use bfs::gpu::{DeviceEdges, LevelSearch, Parallel, Relaxation, Tuning};
use bfs::{BfsTree, Error, Flags, Observer, Silent};
use gpu::{Buffer, Gpu, Request};
use mdp_graph::{MdpGraph, StateId};
use proptest::prelude::*;
use test_models::{Devices, adapter, device_or_skip};

fn open(checks: Option<bool>) -> Option<Gpu> {
    let request = Request {
        checks,
        ..Request::named(adapter())
    };
    device_or_skip(Gpu::open(&request))
}

/// Returns the device of a test.
pub(crate) fn device() -> Option<&'static Gpu> {
    static DEVICES: Devices<Gpu> = Devices::new();
    DEVICES.of_thread(|| open(None))
}

fn tree(graph: &DeviceEdges<'_>, distances: &Buffer<u32>, gpu: &Gpu) -> [Vec<u32>; 2] {
    let parents = graph.parents(distances).expect("the search succeeds");
    [distances, &parents].map(|words| gpu.read(words).expect("the device answers"))
}

/// Returns different distributions of work in the search by levels. `None` is the default.
fn tunings() -> [Option<Tuning>; 7] {
    let few = Tuning {
        most_groups: 3,
        levels: 1,
        fixed_grid: false,
        dense_edges: None,
        most_span: 3,
        ..Tuning::default()
    };
    let fixed = Tuning {
        most_groups: 7,
        levels: 2,
        fixed_grid: true,
        most_span: 1,
        ..few
    };
    let dense = |tuning, edges| Tuning {
        dense_edges: Some(edges),
        ..tuning
    };
    // In the first one, every frontier is dense; in the second one, those that are neither small
    // nor narrow.
    let (all, some) = (dense(few, 0), dense(fixed, 30));
    // Many levels are explored at a time. With `forgetful`, there is no room for rows that are left
    // to the next iteration.
    let long = Tuning {
        most_groups: 32,
        levels: 50,
        most_span: 40,
        fixed_grid: true,
        ..few
    };
    let forgetful = Tuning {
        early_rows: 0,
        ..long
    };
    [
        None,
        Some(few),
        Some(fixed),
        Some(all),
        Some(some),
        Some(long),
        Some(forgetful),
    ]
}

/// Checks searches by levels, in each way to distribute work, with and without the reverse graph.
pub(crate) fn check_levels(gpu: &Gpu, graph: &MdpGraph, sources: &[StateId]) {
    check_tuned(gpu, graph, sources, &tunings());
}

/// Checks searches by levels, in some ways to distribute work.
fn check_tuned(gpu: &Gpu, graph: &MdpGraph, sources: &[StateId], tunings: &[Option<Tuning>]) {
    let expected = on_cpu(graph, sources);
    let expected = [expected.distances(), expected.parents()];
    for reverse in [false, true] {
        let mut loaded = DeviceEdges::upload(gpu, graph).expect("there is room");
        if reverse {
            loaded = loaded.with_reverse().expect("there is room");
        }
        for &tuning in tunings {
            let mut search = LevelSearch::new(&loaded, sources).expect("there is room");
            if let Some(tuning) = tuning {
                search.tune(tuning).expect("there is room");
            }
            // The second run begins anew.
            for _ in 0..2 {
                search.run(&Silent).expect("the search succeeds");
            }
            let found = tree(&loaded, search.distances(), gpu);
            assert_eq!(found, expected, "{reverse}, {tuning:?}");
        }
    }
}

/// Checks searches by relaxation, in all variants.
fn check_relaxation(gpu: &Gpu, graph: &MdpGraph, sources: &[StateId]) {
    let expected = on_cpu(graph, sources);
    let loaded = DeviceEdges::upload(gpu, graph).expect("there is room");
    for parallel in [Parallel::Vertices, Parallel::Edges] {
        for flags in Flags::ALL {
            let search = Relaxation::new(&loaded, sources, parallel, flags).expect("there is room");
            search.run(&Silent).expect("the search succeeds");
            let found = gpu.read(search.distances()).expect("the device answers");
            assert_eq!(found, expected.distances(), "{parallel:?}, {flags:?}");
        }
    }
}

fn check(graph: &MdpGraph, sources: &[u32]) {
    let Some(gpu) = device() else {
        return;
    };
    check_levels(gpu, graph, StateId::cast_slice(sources));
    check_relaxation(gpu, graph, StateId::cast_slice(sources));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn random_graphs_are_searched((model, sources) in models(600)) {
        check(&graph(&model), &sources);
    }
}

#[test]
fn all_digraphs_of_up_to_three_states_are_searched() {
    let (graph, sources) = all_small_digraphs();
    check(&graph, StateId::as_numbers(&sources));
}

#[test]
fn graphs_without_edges_states_or_sources_are_searched() {
    check(&digraph(0, |_| vec![]), &[]);
    check(&digraph(300, |_| vec![]), &[]);
    check(&digraph(300, |_| vec![]), &[299, 0, 299]);
    check(&digraph(300, |state| vec![(state + 1) % 300]), &[]);
}

#[test]
fn a_long_path_is_searched() {
    let Some(gpu) = device() else {
        return;
    };
    // The last state leads back.
    let path = |n: u32| digraph(n, move |state| vec![(state + 1) % n]);
    check_levels(gpu, &path(200), &[StateId(100)]);
    // The path has more levels than an iteration explores by default.
    check_tuned(gpu, &path(1100), &[StateId(1000)], &[None]);
}

/// The rows of hubs are cut into several pieces, which all invocations of a workgroup share. Many
/// edges lead to one state.
#[test]
fn hubs_are_searched() {
    let n = 6000;
    let targets = |state: u32| match state {
        0 => (1..n).collect(),
        1 => (0..n).step_by(3).collect(),
        2 => (0..n).step_by(20).collect(),
        _ => vec![0, (state * 7) % n],
    };
    check(&digraph(n, targets), &[0]);
    check(&digraph(n, targets), &[5]);
    // A narrow search reaches the hubs.
    check(
        &digraph(n, |state| {
            if state == 0 {
                vec![1]
            } else {
                targets(state - 1)
            }
        }),
        &[0],
    );
}

/// The graph is so wide that a workgroup has no room for what it finds, and that the search goes
/// bottom up and returns.
#[test]
fn a_graph_that_is_wide_and_then_deep_is_searched() {
    let n = 1 << 14;
    let targets = |state: u32| match state {
        // The graph consists of a tree of degree 8, then of random edges, and then of a tail.
        0..1500 => (8 * state + 1..=8 * state + 8).collect(),
        1500..15000 => (1..6)
            .map(|k| (state * k).wrapping_mul(0x9e37_79b1) >> 18)
            .collect(),
        _ => vec![(state + 1).min(n - 1), state / 2],
    };
    check(&digraph(n, targets), &[0]);
    check(&digraph(n, targets), &[n - 2000, 4, 15_001]);
}

/// A tree has levels that are narrow, then some that are wide, and a dense one. One of its leaves
/// leads to such a tree again. So sparse and dense frontiers take turns, however many sparse
/// iterations a loop begins with.
#[test]
fn dense_frontiers_may_follow_any_number_of_sparse_ones() {
    let half = 1 << 15;
    let targets = |state: u32| {
        let (tree, at) = (state / half, state % half);
        match at {
            _ if at < half / 2 => vec![2 * at + tree * half, 2 * at + 1 + tree * half],
            _ if at == half - 1 && tree == 0 => vec![half + 1],
            _ => vec![],
        }
    };
    check(&digraph(2 * half, targets), &[1]);
    check(&digraph(2 * half, targets), &[half - 1]);
}

/// Once it is known how many levels there are, the search of a wide graph is one submission. The
/// test has a device of its own, because loops are expected to be as long as those before.
#[test]
fn a_wide_graph_takes_one_submission() {
    let Some(gpu) = &open(None) else {
        return;
    };
    let n = 1 << 15;
    let targets = |state: u32| (0..8).map(move |k| (8 * state + k).wrapping_mul(0x9e37_79b1) % n);
    let graph = digraph(n, |state| targets(state).collect());
    let loaded = DeviceEdges::upload(gpu, &graph).expect("there is room");
    let loaded = loaded.with_reverse().expect("there is room");
    let mut search = LevelSearch::new(&loaded, &[StateId(0)]).expect("there is room");
    for fixed_grid in [false, true] {
        let tuning = Tuning {
            most_groups: 64,
            fixed_grid,
            dense_edges: Some(10_000),
            ..Tuning::default()
        };
        search.tune(tuning).expect("there is room");
        search.run(&Silent).expect("the search succeeds");
        let again = search.run(&Silent).expect("the search succeeds");
        assert_eq!(again.submissions, 1, "{again:?}");
    }
    let found = gpu.read(search.distances()).expect("the device answers");
    assert_eq!(found, on_cpu(&graph, &[StateId(0)]).distances());
}

/// Unreachable states have long rows in the reverse graph, from other unreachable states.
#[test]
fn unreachable_parts_are_not_reached() {
    let n = 5000;
    let targets = |state: u32| match state {
        0..1000 => (0..4).map(|k| (state * 3 + k) % 1000).collect(),
        _ => vec![1000, 1001, state, state % 1000],
    };
    check(&digraph(n, targets), &[0]);
}

/// As in release builds, only kernels that need checks have them.
#[test]
fn unchecked_kernels_find_the_same_distances() {
    let Some(gpu) = open(Some(false)) else {
        return;
    };
    let graph = digraph(4000, |state| {
        vec![(state * 3 + 1) % 4000, (state * 5) % 4000, state]
    });
    check_levels(&gpu, &graph, &[StateId(7)]);
    check_relaxation(&gpu, &graph, &[StateId(7)]);
}

/// Mesa's software device silently ends loops with more iterations than it allows.
#[test]
fn a_hub_is_searched_or_refused() {
    let Some(gpu) = device() else {
        return;
    };
    let edges = 70_000;
    let hub = digraph(edges + 1, |state| match state {
        0 => (1..=edges).collect(),
        _ => vec![0],
    });
    let loaded = DeviceEdges::upload(gpu, &hub).expect("there is room");
    let found = Relaxation::new(&loaded, &[StateId(0)], Parallel::Vertices, Flags::None);
    match gpu.info().max_iterations() < edges {
        true => assert_eq!(
            found.err().map(|error| error.to_string()),
            Some(
                "a search by vertices (edges of a vertex) needs 70000, the adapter allows 60000"
                    .to_owned()
            )
        ),
        false => check_relaxation(gpu, &hub, &[StateId(0)]),
    }
    let search = Relaxation::new(&loaded, &[StateId(0)], Parallel::Edges, Flags::None);
    let search = search.expect("there is room");
    search.run(&Silent).expect("the search succeeds");
    let [distances, _] = tree(&loaded, search.distances(), gpu);
    assert_eq!(distances, on_cpu(&hub, &[StateId(0)]).distances());
}

struct Impatient;

impl Observer for Impatient {
    fn is_cancelled(&self) -> bool {
        true
    }
}

#[test]
fn searches_can_be_cancelled() {
    let Some(gpu) = device() else {
        return;
    };
    let graph = digraph(1 << 14, |state| vec![(state + 1) % (1 << 14)]);
    let loaded = DeviceEdges::upload(gpu, &graph).expect("there is room");
    let levels = LevelSearch::new(&loaded, &[StateId(0)]).expect("there is room");
    assert_eq!(levels.run(&Impatient).err(), Some(Error::Cancelled));
    let edges = Relaxation::new(&loaded, &[StateId(0)], Parallel::Edges, Flags::Two);
    let edges = edges.expect("there is room");
    assert_eq!(edges.run(&Impatient).err(), Some(Error::Cancelled));
}

#[test]
fn search_finds_what_the_cpu_finds() {
    let Some(gpu) = device() else {
        return;
    };
    let graph = digraph(100, |state| vec![(state + 1) % 100, (state * 2) % 100]);
    let expected: BfsTree = on_cpu(&graph, &[StateId(3)]);
    for search in [
        bfs::DistanceSearch::Levels,
        bfs::DistanceSearch::Vertex(Flags::One),
        bfs::DistanceSearch::Edge(Flags::Three),
    ] {
        let found = bfs::gpu::search(gpu, &graph, &[StateId(3)], search, &Silent);
        assert_eq!(found.as_ref(), Ok(&expected));
    }
}
