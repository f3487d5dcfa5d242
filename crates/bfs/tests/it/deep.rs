//! Tests of deep graphs whose frontiers are neither narrow nor dense. They are searched on a GPU,
//! and compared with the CPU. A GPU explores them by batches of levels, in which distances may be
//! lowered after a state was claimed.
//! \\ As in `gpu.rs`, a test is skipped without a device.

use crate::common::{digraph, on_cpu};
use crate::gpu::device;
use bfs::Silent;
use bfs::gpu::{DeviceEdges, LevelSearch, Statistics, Tuning};
use mdp_graph::{MdpGraph, StateId};
use proptest::prelude::*;

/// A tuning with many workgroups, with which batches soon have many levels.
const BATCHES: Tuning = Tuning {
    most_groups: 64,
    levels: 1024,
    fixed_grid: true,
    dense_edges: Some(1 << 20),
    most_span: 32,
    early_rows: Tuning::EARLY_ROWS,
};

/// Searches with each of `ways`, and compares the distances. Returns the work of the first search.
fn check(graph: &MdpGraph, sources: &[u32], ways: &[Tuning]) -> Option<Statistics> {
    let gpu = device()?;
    let sources = StateId::cast_slice(sources);
    let expected = on_cpu(graph, sources);
    let loaded = DeviceEdges::upload(gpu, graph).expect("there is room");
    let mut search = LevelSearch::new(&loaded, sources).expect("there is room");
    let mut all = Vec::new();
    for &tuning in ways {
        search.tune(tuning).expect("there is room");
        all.push(search.run(&Silent).expect("the search succeeds"));
        let found = gpu.read(search.distances()).expect("the device answers");
        assert_eq!(found, expected.distances(), "{tuning:?}");
    }
    all.first().copied()
}

/// Returns tunings with batches: the usual one, one with few workgroups, and one with which
/// frontiers soon are dense.
fn ways() -> [Tuning; 3] {
    let few = Tuning {
        most_groups: 3,
        fixed_grid: false,
        most_span: 5,
        ..BATCHES
    };
    let dense = Tuning {
        dense_edges: Some(700),
        ..BATCHES
    };
    [BATCHES, few, dense]
}

/// Returns a grid of `width` by `length` states, and an additional last state, which leads to all
/// states of the first line. Each state of the grid leads to its neighbours for which `is_there`
/// holds.
fn grid(width: u32, length: u32, is_there: impl Fn(u32, u32) -> bool) -> MdpGraph {
    let n = width * length;
    digraph(n + 1, |state| {
        if state == n {
            return (0..width).collect();
        }
        let (x, y) = (state % width, state / width);
        let mut all = Vec::new();
        all.extend((x > 0).then(|| state - 1));
        all.extend((x + 1 < width).then_some(state + 1));
        all.extend((y > 0).then(|| state - width));
        all.extend((y + 1 < length).then_some(state + width));
        all.retain(|&end| is_there(state, end));
        all
    })
}

#[test]
fn grids_take_far_fewer_iterations_than_levels() {
    // The searches start from a corner, and from a whole line.
    let (width, length) = (150, 300);
    let graph = grid(width, length, |_, _| true);
    let levels = u64::from(length);
    for sources in [0, width * length] {
        if let Some(statistics) = check(&graph, &[sources], &[BATCHES]) {
            assert!(statistics.iterations < levels / 3, "{statistics:?}");
        }
    }
}

/// Frontiers that hardly grow are explored by batches even if a dense level could take them.
#[test]
fn a_grid_is_not_dense_where_its_frontiers_hardly_grow() {
    let (width, length) = (150, 300);
    let graph = grid(width, length, |_, _| true);
    // The widest frontiers have about 600 edges.
    let dense = |edges| Tuning {
        dense_edges: Some(edges),
        ..BATCHES
    };
    let levels = u64::from(length);
    if let Some(statistics) = check(&graph, &[0], &[dense(400)]) {
        assert!(statistics.iterations < levels / 3, "{statistics:?}");
    }
    if let Some(statistics) = check(&graph, &[0], &[dense(100)]) {
        assert!(statistics.iterations > levels / 2, "{statistics:?}");
    }
}

/// Rows have 4 to 9 edges. Two invocations share a row of up to 8 edges. Longer rows are laid out.
#[test]
fn rows_slightly_longer_than_an_invocation_follows_are_searched() {
    for seed in 0..2 {
        let n = 20_000;
        let graph = digraph(n, |state| {
            let edges = 4 + mixed(state, seed) % 6;
            let near = |edge| state + 1 + mixed(state, 8 * seed + edge) % 60;
            (0..edges).map(near).filter(|&end| end < n).collect()
        });
        check(&graph, &[0, 7], &ways());
    }
}

/// Returns a number that looks random.
fn mixed(a: u32, b: u32) -> u32 {
    let a = (a ^ b.rotate_left(16)).wrapping_mul(0x9e37_79b1);
    (a ^ (a >> 15)).wrapping_mul(0x85eb_ca6b) >> 8
}

/// Because of the gaps, paths wind, and a workgroup first reaches many states by a detour.
#[test]
fn grids_with_gaps_are_searched() {
    for seed in 0..2 {
        let is_there =
            |from: u32, to: u32| mixed(from.min(to).wrapping_mul(77) + seed, from.max(to)) % 10 < 7;
        let graph = grid(120, 120, is_there);
        check(&graph, &[120 * 120], &ways());
        check(&graph, &[0], &ways());
    }
}

/// Returns chains side by side. A state in the middle of one chain leads to `burst` states. Each of
/// these leads back to the chains, and to `OWN` states without other predecessors, each of which
/// leads to one more state.
fn burst(width: u32, length: u32, burst: u32) -> MdpGraph {
    const OWN: u32 = 3;
    let n = width * length;
    let middle = length / 2 * width;
    let (found, own) = (n + 1, n + 1 + burst);
    let leaf = own + OWN * burst;
    digraph(leaf + OWN * burst, |state| match state {
        _ if state == n => (0..width).collect(),
        _ if state >= leaf => vec![],
        _ if state >= own => vec![state + OWN * burst],
        _ if state >= found => {
            let first = own + OWN * (state - found);
            let back = [middle + width, middle + 2 * width];
            back.into_iter().chain(first..first + OWN).collect()
        }
        _ if state == middle => (found..own).collect(),
        _ if state + width < n => vec![state + width],
        _ => vec![],
    })
}

/// In the middle of a batch, a workgroup has no room for what it finds: many rows, or a row in
/// pieces. The rest is left to the next iteration. If there is no room for it, the search begins
/// again.
#[test]
fn rows_are_left_to_the_next_iteration() {
    // The levels are wider than those that one workgroup follows alone.
    let (width, length) = (600, 100);
    let without_room = Tuning {
        early_rows: 0,
        ..BATCHES
    };
    for found in [600, 5000] {
        let graph = burst(width, length, found);
        let source = [width * length];
        let left = check(&graph, &source, &[BATCHES]);
        let again = check(&graph, &source, &[without_room]);
        if let (Some(left), Some(again)) = (left, again) {
            assert!(left.iterations < 40, "{found}: {left:?}");
            assert!(again.iterations > u64::from(length), "{found}: {again:?}");
        }
    }
}

/// After batches, the search is dense for some levels, and then continues.
#[test]
fn a_search_may_be_dense_after_a_batch() {
    let (width, length) = (100, 60);
    let n = width * length;
    let wide = 20_000;
    let graph = digraph(n + wide, |state| match state {
        0 => (1..width).chain([width]).collect(),
        _ if state + width < n => vec![state + width, state - state % 2],
        _ if state < n => (0..200).map(|i| n + mixed(state, i) % (wide / 2)).collect(),
        _ => vec![n + (state - n + wide / 2) % wide, state - wide / 3 % state],
    });
    check(&graph, &[0], &ways());
}

/// Returns layers of states. Each state leads to some states near it in the next layer, in its own
/// or in the one before. Some states also lead two layers ahead.
fn layered() -> impl Strategy<Value = MdpGraph> {
    (60..200_u32, 5..60_u32, 1..40_u32, any::<u32>()).prop_map(|(width, length, reach, seed)| {
        let n = width * length;
        let near = move |state: u32, i: u32, layer: u32| {
            let (x, drawn) = (state % width, mixed(state ^ seed, i));
            layer * width + (x + drawn % reach) % width
        };
        digraph(n + 1, move |state| {
            if state == n {
                return (0..width).collect();
            }
            let layer = state / width;
            let drawn = mixed(state, seed);
            let mut all = vec![near(state, 0, (layer + 1).min(length - 1))];
            all.extend(drawn.is_multiple_of(3).then(|| near(state, 1, layer)));
            all.extend((drawn % 5 < 2).then(|| near(state, 2, layer.saturating_sub(1))));
            all.extend(
                drawn
                    .is_multiple_of(7)
                    .then(|| near(state, 3, (layer + 2).min(length - 1))),
            );
            // Some states have longer rows.
            all.extend(
                drawn
                    .is_multiple_of(64)
                    .then_some(5..9)
                    .into_iter()
                    .flatten()
                    .map(|i| near(state, i, (layer + 1).min(length - 1))),
            );
            all
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn random_deep_graphs_are_searched(graph in layered(), near in 0..3000_u32) {
        let n = graph.num_states() as u32;
        check(&graph, &[n - 1], &ways());
        let little_room = Tuning { early_rows: 5, ..BATCHES };
        check(&graph, &[near % n, n / 2], &[little_room]);
    }
}
