//! The GPU finds what the CPU finds: on the reference models and the fixtures, on random models, in a set of
//! variants that covers all pairs of knobs, and, where the variant is drawn too, in all.

use crate::common::{graph, mec_oracle, model};
use crate::device::{self, Ready, engine, expected};
use crate::models::{Model, models};
use crate::variants::{Kind, Variant, all, pairwise};
use decompose::gpu::{Candidates, Engine, GpuOptions, Pivot};
use decompose::{Options, Search, mec};
use mdp_graph::{Components, StateId};
use proptest::prelude::*;
use std::sync::Mutex;

/// The variants that a model is tried in. A round of the search finds no more than one component of a
/// region, so that hundreds of components that no path joins take hundreds of rounds: then two variants,
/// one of each search. The same goes for a decomposition that the CPU needs many rounds for.
fn few(kind: Kind, sccs: &Components) -> Vec<Variant> {
    let mut variants = pairwise(kind);
    if sccs.len() - sccs.num_trivial() > 100 {
        variants.sort_by_key(|variant| (variant.shards, variant.search == Search::Fbt));
        variants.dedup_by_key(|variant| variant.search);
        variants.truncate(2);
    }
    variants
}

/// Checks a model in the given variants, for both kinds.
fn check_model(
    engine: &Engine,
    model: &Model,
    variants: impl Fn(Kind, &Components) -> Vec<Variant>,
) {
    let Model { path, graph, mecs } = model;
    eprintln!("{} ({} states)", path.display(), graph.num_states());
    let sccs = expected(graph, Kind::Sccs);
    let found = expected(graph, Kind::Mecs);
    if let Some(mecs) = mecs {
        assert!(
            labels(&found) == *mecs,
            "{}: the CPU's answer",
            path.display()
        );
    }
    for (kind, expected) in [(Kind::Sccs, &sccs), (Kind::Mecs, &found)] {
        device::check(engine, graph, kind, expected, &variants(kind, &sccs));
    }
}

fn labels(components: &Components) -> Vec<Option<u32>> {
    let states = (0..components.num_states()).map(StateId::from_index);
    states
        .map(|state| components.label(state).map(|label| label.0))
        .collect()
}

#[test]
fn a_covering_set_of_variants_agrees_on_small_models() {
    let Some(engine) = engine() else { return };
    for model in models(3000) {
        check_model(engine, &model, few);
    }
}

/// On as many devices at once as there are processors, or as `MAXEND_THREADS` says. Mesa's software
/// adapters are best told by `LP_NUM_THREADS=1` to take one each.
#[test]
#[ignore = "minutes on 16 processors with a software adapter, an hour on two"]
fn every_variant_agrees_on_every_model() {
    if engine().is_none() {
        return;
    }
    let threads = std::env::var("MAXEND_THREADS").ok();
    let threads = threads.map_or_else(
        || std::thread::available_parallelism().map_or(1, usize::from),
        |number| number.parse().expect("MAXEND_THREADS is a number"),
    );
    let mut work: Vec<_> = models(120_000);
    // The largest is taken first.
    work.sort_by_key(|model| model.graph.num_branches());
    let work = Mutex::new(work);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let engine = device::open().expect("what was opened once opens again");
                while let Some(model) = { work.lock().expect("no test has failed").pop() } {
                    check_model(&engine, &model, |kind, _| all(kind));
                }
            });
        }
    });
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn a_covering_set_of_variants_agrees_on_random_models(model in model(300)) {
        let Some(engine) = engine() else { return Ok(()) };
        let graph = graph(&model);
        for kind in [Kind::Sccs, Kind::Mecs] {
            device::check(engine, &graph, kind, &expected(&graph, kind), &pairwise(kind));
        }
    }
}

/// A kind of search and one of its variants, in segments of any width.
fn any_variant() -> impl Strategy<Value = (Kind, Variant)> {
    let kinds = prop::sample::select(vec![Kind::Sccs, Kind::Mecs, Kind::Mecs]);
    let drawn = kinds.prop_flat_map(|kind| (Just(kind), prop::sample::select(all(kind)), 2..8u32));
    drawn.prop_map(|(kind, mut variant, lanes)| {
        variant.options.lanes = Some(1 << lanes);
        (kind, variant)
    })
}

/// The ways to select pivots.
fn pivots_and_candidates() -> impl Iterator<Item = GpuOptions> {
    let pivots = [Pivot::Plain, Pivot::Aggregated].into_iter();
    let each = pivots.flat_map(|pivot| [Candidates::All, Candidates::Join].map(|c| (pivot, c)));
    each.map(|(pivot, candidates)| GpuOptions {
        pivot,
        candidates,
        ..GpuOptions::default()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn any_variant_agrees_on_any_random_model(model in model(60), (kind, variant) in any_variant()) {
        let Some(engine) = engine() else { return Ok(()) };
        let graph = graph(&model);
        device::check(engine, &graph, kind, &expected(&graph, kind), &[variant]);
    }

    /// The CPU's two searches, the GPU with each way to select pivots, and the definition.
    #[test]
    fn mecs_are_the_largest_end_components(model in model(8)) {
        let Some(engine) = engine() else { return Ok(()) };
        let graph = graph(&model);
        let fast = expected(&graph, Kind::Mecs);
        prop_assert_eq!(labels(&fast), mec_oracle(&model));
        let basic = Options { search: Search::Tarjan, ..Options::default() };
        prop_assert_eq!(&mec(&graph, &basic).unwrap(), &fast);
        let mut ready = Ready::load(engine, &graph, Kind::Mecs, &GpuOptions::default()).unwrap();
        for options in pivots_and_candidates() {
            ready.set_knobs(&options);
            for search in [Search::Fbt, Search::Bfbt] {
                let (found, _) = ready.components(&graph, search);
                prop_assert_eq!(&found, &fast, "{:?} {:?}", search, options);
            }
        }
    }
}
