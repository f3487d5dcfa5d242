//! The GPU engine, in all its variants, finds the components that the CPU finds, and leaves the graph on
//! the device as it was.
//!
//! On Mesa's lavapipe, or the adapter that `MAXEND_ADAPTER` names. `--ignored` runs the full product of
//! variants over all reference models of up to 120,000 states.

#[path = "../common/mod.rs"]
#[allow(dead_code)]
mod common;
mod models;
mod variants;

use common::{graph, model};
use decompose::gpu::{Engine, GpuOptions, Loaded, Statistics};
use decompose::{Device, Error, Observer, Options, Phase, Search, Silent, mec, scc};
use mdp_graph::segments::LayoutError;
use mdp_graph::{Components, Digraph, MdpGraph, StateId};
use models::models;
use proptest::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};
use variants::{Variant, all, pairwise};

/// The adapter under test.
fn adapter() -> String {
    std::env::var("MAXEND_ADAPTER").unwrap_or_else(|_| "llvmpipe".to_owned())
}

/// One device for all tests: it compiles each kernel once. Without one the tests fail.
fn engine() -> &'static Engine {
    static ENGINE: OnceLock<Engine> = OnceLock::new();
    ENGINE.get_or_init(|| Engine::open(Some(&adapter())).expect("the adapter under test is there"))
}

/// Loads a graph, in shards if the variant asks for them.
fn load(graph: &Digraph, variant: &Variant) -> Loaded {
    let mut options = variant.options.clone();
    if !variant.shards {
        return engine().load(graph, &options).expect("the graph fits");
    }
    let mut bytes = (graph.num_edges() as u64 * 4 / 5).max(256);
    loop {
        options.max_binding = Some(bytes);
        match engine().load(graph, &options) {
            Err(Error::Layout(LayoutError::ShardTooSmall { .. })) => bytes *= 2,
            loaded => return loaded.expect("the graph fits in shards"),
        }
    }
}

fn components(graph: &MdpGraph, loaded: &Loaded, search: Search) -> (Components, Statistics) {
    let (marks, statistics) = loaded.sccs(search, &Silent).expect("the search succeeds");
    (Components::from_scc_marks(graph, marks), statistics)
}

/// Checks a variant against the CPU.
fn check(graph: &MdpGraph, digraph: &Digraph, expected: &Components, variant: &Variant) {
    let loaded = load(digraph, variant);
    let (found, _) = components(graph, &loaded, variant.search);
    assert!(found == *expected, "{variant:?}");
    let restored = loaded.is_restored().expect("the graph can be read back");
    assert!(restored, "{variant:?} has changed the graph");
}

fn check_models(max_states: u32, variants: impl Fn(&Components) -> Vec<Variant>) {
    for (path, graph) in models(max_states) {
        eprintln!("{} ({} states)", path.display(), graph.num_states());
        let digraph = Digraph::new(&graph);
        let expected = scc(&graph, &Options::default()).expect("the CPU never fails");
        for variant in variants(&expected) {
            check(&graph, &digraph, &expected, &variant);
        }
    }
}

/// A round may find no more than one component, however many there are that no path joins. Hundreds of
/// rounds are tried in two variants only, one of each search.
#[test]
fn a_covering_set_of_variants_agrees_on_small_reference_models() {
    check_models(3000, |components| {
        let rounds = components.len() - components.num_trivial();
        let mut variants = pairwise();
        if rounds > 100 {
            variants.sort_by_key(|variant| (variant.shards, variant.search == Search::Fbt));
            variants.dedup_by_key(|variant| variant.search);
            variants.truncate(2);
        }
        variants
    });
}

#[test]
#[ignore = "an hour on a software adapter; `cargo xtask test --full`"]
fn every_variant_agrees_on_every_reference_model() {
    check_models(120_000, |_| all());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn a_covering_set_of_variants_agrees_on_random_models(model in model(300)) {
        let graph = graph(&model);
        let digraph = Digraph::new(&graph);
        let expected = scc(&graph, &Options::default()).expect("the CPU never fails");
        pairwise().iter().for_each(|variant| check(&graph, &digraph, &expected, variant));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn any_variant_agrees_on_any_random_model(
        model in model(60), variant in prop::sample::select(all()), lanes in 2..8u32,
    ) {
        let graph = graph(&model);
        let expected = scc(&graph, &Options::default()).expect("the CPU never fails");
        let options = GpuOptions { lanes: Some(1 << lanes), ..variant.options };
        check(&graph, &Digraph::new(&graph), &expected, &Variant { options, ..variant });
    }
}

/// A model whose states have one choice each, or none.
fn digraph(targets: &[&[u32]]) -> MdpGraph {
    let choices = |targets: &&[u32]| match targets.is_empty() {
        true => vec![],
        false => vec![targets.to_vec()],
    };
    graph(&targets.iter().map(choices).collect())
}

/// All variants against the CPU.
fn check_all(graph: &MdpGraph) {
    let digraph = Digraph::new(graph);
    let expected = scc(graph, &Options::default()).expect("the CPU never fails");
    all()
        .iter()
        .for_each(|variant| check(graph, &digraph, &expected, variant));
}

#[test]
fn bounded_searches_do_not_tear_components_apart() {
    // x -> p, x <-> y, p <-> q: from a pivot p the forward search ends first, and the backward one has
    // marked x but not y when it is cut short. Whichever state is the pivot, one of the four rotations
    // and their reversals has it in p's place.
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
    // Two cycles at the far end: regions are named by numbers far above |E|.
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
    // A cycle of one state more than whole segments, and one of one state less.
    for n in [31u32, 33, 63, 65, 127, 129] {
        let next: Vec<[u32; 1]> = (0..n).map(|s| [(s + 1) % n]).collect();
        let rows: Vec<&[u32]> = next.iter().map(<[u32; 1]>::as_slice).collect();
        let graph = digraph(&rows);
        for lanes in [4, 8, 32, 64, 128] {
            for variant in pairwise() {
                let options = GpuOptions {
                    lanes: Some(lanes),
                    ..variant.options
                };
                let loaded = engine().load(&Digraph::new(&graph), &options).unwrap();
                assert_eq!(
                    components(&graph, &loaded, variant.search).0.len(),
                    1,
                    "{n} {lanes}"
                );
            }
        }
    }
}

/// A path of `n` states, each of which may also step back.
fn path_both_ways(n: u32) -> MdpGraph {
    let row = |s: u32| vec![vec![s.saturating_sub(1), (s + 1).min(n - 1)]];
    graph(
        &(0..n)
            .map(row)
            .map(|mut row| {
                row[0].dedup();
                row
            })
            .collect(),
    )
}

#[test]
fn many_levels_take_few_submissions() {
    let graph = path_both_ways(2000);
    let loaded = engine()
        .load(&Digraph::new(&graph), &GpuOptions::default())
        .unwrap();
    let (found, statistics) = components(&graph, &loaded, Search::Fbt);
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
        let options = GpuOptions {
            cache_hops,
            ..GpuOptions::default()
        };
        let loaded = engine().load(&Digraph::new(&graph), &options).unwrap();
        components(&graph, &loaded, Search::Fbt).1.levels
    };
    let (without, with) = (levels(0), levels(3));
    assert!(with * 2 < without, "{with} levels with, {without} without");
}

#[test]
fn a_search_can_be_repeated_on_a_loaded_graph() {
    let graph = path_both_ways(100);
    let loaded = engine()
        .load(&Digraph::new(&graph), &GpuOptions::default())
        .unwrap();
    let first = components(&graph, &loaded, Search::Fbt).0;
    assert_eq!(components(&graph, &loaded, Search::Bfbt).0, first);
    assert_eq!(components(&graph, &loaded, Search::Fbt).0, first);
}

fn on_gpu(mut options: GpuOptions, search: Search) -> Options<'static> {
    options.adapter = Some(adapter());
    let device = Device::Gpu(options);
    Options {
        search,
        device,
        ..Options::default()
    }
}

#[test]
fn the_front_door_leads_to_the_gpu() {
    let graph = path_both_ways(50);
    let options = on_gpu(GpuOptions::default(), Search::Auto);
    assert_eq!(
        scc(&graph, &options).unwrap(),
        scc(&graph, &Options::default()).unwrap()
    );
}

#[test]
fn what_cannot_be_done_is_refused() {
    let graph = path_both_ways(50);
    let message = |result: Result<Components, Error>| result.unwrap_err().to_string();
    let tarjan = on_gpu(GpuOptions::default(), Search::Tarjan);
    assert_eq!(
        message(scc(&graph, &tarjan)),
        "the GPU cannot search by Tarjan"
    );
    let fbt = Options {
        search: Search::Fbt,
        ..Options::default()
    };
    assert_eq!(message(scc(&graph, &fbt)), "the CPU cannot search by Fbt");
    assert_eq!(message(mec(&graph, &fbt)), "the CPU cannot search by Fbt");
    let gpu = on_gpu(GpuOptions::default(), Search::Auto);
    assert_eq!(
        message(mec(&graph, &gpu)),
        "the GPU has no engine for maximal end components"
    );
    let small = on_gpu(
        GpuOptions {
            max_binding: Some(64),
            ..GpuOptions::default()
        },
        Search::Auto,
    );
    assert_eq!(
        message(scc(&graph, &small)),
        "the edges of states 0 to 31 take 64 entries, but a shard holds at most 16"
    );
    let nowhere = GpuOptions {
        adapter: Some("no such adapter".to_owned()),
        ..GpuOptions::default()
    };
    let nowhere = Options {
        device: Device::Gpu(nowhere),
        ..Options::default()
    };
    assert!(
        message(scc(&graph, &nowhere))
            .starts_with("no adapter whose name contains `no such adapter` found")
    );
}

#[test]
fn an_observer_hears_of_the_device_and_the_phases() {
    #[derive(Default)]
    struct Listener(Mutex<Vec<String>>);
    impl Observer for Listener {
        fn phase(&self, phase: Phase) {
            self.0.lock().unwrap().push(format!("{phase:?}"));
        }
        fn device(&self, name: &str) {
            assert!(name.to_lowercase().contains(&adapter().to_lowercase()));
            self.0.lock().unwrap().push("device".to_owned());
        }
    }
    let heard = |options: Options<'_>| {
        let listener = Listener::default();
        let observer: &dyn Observer = &listener;
        scc(
            &path_both_ways(50),
            &Options {
                observer,
                ..options
            },
        )
        .unwrap();
        listener.0.into_inner().unwrap()
    };
    assert_eq!(heard(Options::default()), ["Decompose"]);
    assert_eq!(
        heard(on_gpu(GpuOptions::default(), Search::Auto)),
        ["Open", "device", "Upload", "Decompose", "Download"]
    );
}

#[test]
fn an_observer_can_stop_a_search_in_the_middle() {
    /// Stops when it is asked for the third time.
    struct Impatient(AtomicUsize);
    impl Observer for Impatient {
        fn is_cancelled(&self) -> bool {
            self.0.fetch_add(1, Ordering::Relaxed) >= 2
        }
    }
    let graph = path_both_ways(3000);
    let loaded = engine()
        .load(&Digraph::new(&graph), &GpuOptions::default())
        .unwrap();
    let stopped = loaded.sccs(Search::Fbt, &Impatient(AtomicUsize::new(0)));
    assert_eq!(stopped.unwrap_err(), Error::Cancelled);
    // What was left half done does not spoil the next search.
    assert_eq!(components(&graph, &loaded, Search::Fbt).0.len(), 1);
    let label = components(&graph, &loaded, Search::Fbt)
        .0
        .label(StateId(2999));
    assert_eq!(label, Some(StateId(0)));
}
