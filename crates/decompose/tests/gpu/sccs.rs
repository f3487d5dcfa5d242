//! Tests of strongly connected components on the GPU: errors that are easily made in the papers'
//! algorithms, and the cost of a search.

use crate::common::graph;
use crate::device::{self, Ready, engine, path_both_ways};
use crate::variants::{Kind, pairwise};
use decompose::ComponentSearch;
use decompose::gpu::{FbtOptions, Pivot};
use mdp_graph::MdpGraph;

/// Returns the graph of a model whose states have one choice each, or none.
fn digraph(targets: &[&[u32]]) -> MdpGraph {
    let choices = |targets: &&[u32]| match targets.is_empty() {
        true => vec![],
        false => vec![targets.to_vec()],
    };
    graph(&targets.iter().map(choices).collect())
}

/// Checks a covering set of variants against the CPU.
fn check_all(graph: &MdpGraph) {
    let Some(engine) = engine() else { return };
    let expected = device::expected(graph, Kind::Sccs);
    device::check(engine, graph, Kind::Sccs, &expected, &pairwise(Kind::Sccs));
}

/// Loads a graph for SCCs.
fn load(graph: &MdpGraph, options: &FbtOptions) -> Option<Ready> {
    let loaded = Ready::load(engine()?, graph, Kind::Sccs, options);
    Some(loaded.expect("the graph fits"))
}

#[test]
fn bounded_searches_do_not_tear_components_apart() {
    // x -> p, x <-> y, p <-> q: from a pivot p the forward search ends first, and the backward one
    // has marked x but not y when it is cut short. Whichever state is the pivot, one of the four
    // rotations and their reversals has it in p's place.
    for p in 0..4u32 {
        let [q, x, y] = [1, 2, 3].map(|i| (p + i) % 4);
        for reversed in [false, true] {
            let mut rows = vec![vec![]; 4];
            for (from, to) in [(x, p), (x, y), (y, x), (p, q), (q, p)] {
                let (from, to) = if reversed { (to, from) } else { (from, to) };
                rows[from as usize].push(to);
            }
            let rows: Vec<&[u32]> = rows.iter().map(Vec::as_slice).collect();
            check_all(&digraph(&rows));
        }
    }
}

#[test]
fn a_graph_with_more_states_than_edges_has_room_for_its_pivots() {
    // Two cycles have the last numbers, so that regions are named by numbers far above |E|.
    let mut rows: Vec<&[u32]> = vec![&[]; 3000];
    rows[2996] = &[2997];
    rows[2997] = &[2996];
    rows[2998] = &[2999];
    rows[2999] = &[2998];
    check_all(&digraph(&rows));
}

#[test]
fn states_without_edges_and_graphs_without_states_are_searched() {
    check_all(&digraph(&[]));
    check_all(&digraph(&[&[]]));
    check_all(&digraph(&[&[0]]));
    check_all(&digraph(&[&[], &[], &[1]]));
}

#[test]
fn a_last_segment_that_is_not_full_is_as_wide_as_its_states() {
    let Some(engine) = engine() else { return };
    // The cycles have one state more than whole segments, or one state less.
    for n in [31u32, 33, 63, 65, 127, 129] {
        let next: Vec<[u32; 1]> = (0..n).map(|s| [(s + 1) % n]).collect();
        let rows: Vec<&[u32]> = next.iter().map(<[u32; 1]>::as_slice).collect();
        let graph = digraph(&rows);
        for lanes in [4, 8, 32, 64, 128] {
            for variant in pairwise(Kind::Sccs) {
                let options = FbtOptions {
                    lanes: Some(lanes),
                    ..variant.options
                };
                let loaded = Ready::load(engine, &graph, Kind::Sccs, &options).unwrap();
                let (found, _) = loaded.components(&graph, variant.search);
                assert_eq!(found.len(), 1, "{n} {lanes}");
            }
        }
    }
}

#[test]
fn many_levels_take_few_submissions() {
    let graph = path_both_ways(2000);
    let options = FbtOptions {
        cache_hops: 0,
        ..FbtOptions::default()
    };
    let Some(loaded) = load(&graph, &options) else {
        return;
    };
    let (found, statistics) = loaded.components(&graph, ComponentSearch::Fbt);
    assert_eq!(found.len(), 1);
    assert!(statistics.levels >= 1000, "{statistics:?}");
    assert!(
        statistics.submissions <= statistics.levels / 4,
        "{statistics:?}"
    );
}

#[test]
fn hops_in_the_cache_save_levels() {
    let graph = path_both_ways(2000);
    let levels = |cache_hops| {
        let options = FbtOptions {
            cache_hops,
            ..FbtOptions::default()
        };
        Some(
            load(&graph, &options)?
                .components(&graph, ComponentSearch::Fbt)
                .1
                .levels,
        )
    };
    let (Some(without), Some(with)) = (levels(0), levels(3)) else {
        return;
    };
    assert!(with * 2 < without, "{with} levels with, {without} without");
}

#[test]
fn a_search_can_be_repeated_on_a_loaded_graph() {
    let graph = path_both_ways(100);
    let Some(loaded) = load(&graph, &FbtOptions::default()) else {
        return;
    };
    let first = loaded.components(&graph, ComponentSearch::Fbt).0;
    assert_eq!(loaded.components(&graph, ComponentSearch::Bfbt).0, first);
    assert_eq!(loaded.components(&graph, ComponentSearch::Fbt).0, first);
}

/// The host expects that trimming takes as long as the last few times. If it takes longer, the host
/// begins again.
#[test]
fn graphs_that_take_longer_to_trim_than_the_one_before_are_decomposed_right() {
    // Five states that all lead to each other, at the end of a path.
    let graphs = [0, 5, 12].map(|path: u32| {
        let to_next = (0..path).map(|s| vec![s + 1]);
        let to_all = (0..5).map(|_| (path..path + 5).collect());
        let rows: Vec<Vec<u32>> = to_next.chain(to_all).collect();
        digraph(&rows.iter().map(Vec::as_slice).collect::<Vec<_>>())
    });
    // The test has a device of its own, because other tests would change what the host expects.
    let Some(engine) = device::open() else { return };
    for kind in [Kind::Sccs, Kind::Mecs] {
        let options = FbtOptions::default();
        let load = |graph| Ready::load(&engine, graph, kind, &options).expect("it fits");
        for search in [ComponentSearch::Fbt, ComponentSearch::Bfbt] {
            for at in [0, 1, 0, 0, 0, 1, 1, 1, 2, 2, 2, 0, 0] {
                let graph = &graphs[at];
                let (found, statistics) = load(graph).components(graph, search);
                assert_eq!(found, device::expected(graph, kind), "{kind:?} {at}");
                if kind == Kind::Sccs {
                    assert_eq!(statistics.rounds, 1, "{statistics:?}");
                }
            }
        }
    }
}

#[test]
fn a_small_graph_of_one_component_takes_three_submissions() {
    let all: Vec<u32> = (0..40).collect();
    let graph = digraph(&vec![all.as_slice(); 40]);
    let Some(engine) = device::open() else { return };
    let loaded = Ready::load(&engine, &graph, Kind::Sccs, &FbtOptions::default());
    let loaded = loaded.expect("it fits");
    for _ in 0..3 {
        let (_, statistics) = loaded.components(&graph, ComponentSearch::Fbt);
        // The first trimming, the search, and the trimming after it.
        assert_eq!(statistics.submissions, 3, "{statistics:?}");
    }
}

#[test]
fn a_chain_of_components_takes_few_rounds() {
    // Each pair of states has an edge to the next pair. With a pivot at the end of the chain, a
    // round would find one pair. With a pivot anywhere else, a round divides the chain.
    let pairs = 500;
    let row = |s: u32| match s % 2 {
        0 => vec![s + 1],
        _ => vec![s - 1, (s + 1) % (2 * pairs)],
    };
    let mut rows: Vec<Vec<u32>> = (0..2 * pairs).map(row).collect();
    rows.last_mut().expect("there are pairs").truncate(1);
    let rows: Vec<&[u32]> = rows.iter().map(Vec::as_slice).collect();
    let graph = digraph(&rows);
    for pivot in [Pivot::Plain, Pivot::Aggregated] {
        let options = FbtOptions {
            pivot,
            ..FbtOptions::default()
        };
        let Some(loaded) = load(&graph, &options) else {
            return;
        };
        let (found, statistics) = loaded.components(&graph, ComponentSearch::Fbt);
        assert_eq!(found.len(), pairs as usize);
        assert!(statistics.rounds < 60, "{statistics:?}");
    }
}
