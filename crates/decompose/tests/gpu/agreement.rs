//! Tests that the GPU finds what the CPU finds: on the reference models, the fixtures and random
//! models, in a set of variants that covers all pairs of option values; on random models, in random
//! variants, too.

use crate::common::{graph, mec_oracle, model};
use crate::device::{self, Ready, engine, expected};
use crate::models::{Model, models};
use crate::variants::{Kind, Variant, all, pairwise};
use decompose::gpu::{Candidates, FbtOptions, Pivot};
use decompose::{ComponentSearch, Options, mec};
use gpu::Gpu;
use mdp_graph::{Components, StateId};
use proptest::prelude::*;
use std::sync::Mutex;

/// A model and the components that the CPU finds in it.
struct Known {
    model: Model,
    sccs: Components,
    mecs: Components,
}

impl Known {
    fn new(model: Model) -> Self {
        let sccs = expected(&model.graph, Kind::Sccs);
        let mecs = expected(&model.graph, Kind::Mecs);
        if let Some(known) = &model.mecs {
            let path = model.path.display();
            assert!(
                labels(&mecs) == *known,
                "{path}: the CPU finds the known components"
            );
        }
        Self { model, sccs, mecs }
    }

    fn check(&self, engine: &Gpu, kind: Kind, variants: &[Variant]) {
        let expected = match kind {
            Kind::Sccs => &self.sccs,
            Kind::Mecs => &self.mecs,
        };
        let Model { path, graph, .. } = &self.model;
        eprintln!("{} ({} states)", path.display(), graph.num_states());
        device::check(engine, graph, kind, expected, variants);
    }
}

/// Returns the smallest state of each state's component.
pub(crate) fn labels(components: &Components) -> Vec<Option<u32>> {
    let states = (0..components.num_states()).map(StateId::from_index);
    states
        .map(|state| components.smallest_of(state).map(|label| label.0))
        .collect()
}

/// Each model is tried in a few variants of the covering set. The models take these variants in
/// turn.
#[test]
fn a_covering_set_of_variants_agrees_on_small_models() {
    let Some(engine) = engine() else { return };
    for kind in [Kind::Sccs, Kind::Mecs] {
        let mut variants = pairwise(kind).into_iter().cycle();
        for known in models(600).into_iter().map(Known::new) {
            let few = match known.model.graph.num_states() {
                0..=100 => 3,
                _ => 1,
            };
            let part: Vec<_> = variants.by_ref().take(few).collect();
            known.check(engine, kind, &part);
        }
    }
}

/// A model, and the variants of one layout in which it is tried.
type Task<'a> = (&'a Known, Kind, Vec<Variant>);

/// Returns all trials, the longest ones last, or the part that `MAXEND_PART` names: `2/3` is the
/// second of three parts that take about equally long.
fn tasks(models: &[Known]) -> Vec<Task<'_>> {
    let mut tasks = Vec::new();
    for known in models {
        for kind in [Kind::Sccs, Kind::Mecs] {
            let variants = all(kind);
            let layouts = variants.chunk_by(|a, b| a.layout() == b.layout());
            tasks.extend(layouts.map(|variants| (known, kind, variants.to_vec())));
        }
    }
    tasks.sort_by_key(|(known, _, variants)| {
        let dispatches_a_step = if variants[0].shards { 5 } else { 1 };
        known.model.graph.num_branches() * dispatches_a_step * variants.len()
    });
    let Ok(part) = std::env::var("MAXEND_PART") else {
        return tasks;
    };
    let numbers = part.split_once('/').and_then(|(part, of)| {
        let (part, of): (usize, usize) = (part.parse().ok()?, of.parse().ok()?);
        (1..=of).contains(&part).then_some((part, of))
    });
    let (part, of) = numbers.expect("MAXEND_PART is a part, such as 2/3");
    // Trials are dealt to the parts there and back. Otherwise one of two parts would get every
    // second layout, and so all those without a transpose.
    let is_dealt = |number: usize| match (number / of).is_multiple_of(2) {
        true => number % of == part - 1,
        false => number % of == of - part,
    };
    let dealt = tasks
        .into_iter()
        .enumerate()
        .filter(|(number, _)| is_dealt(*number));
    dealt.map(|(_, task)| task).collect()
}

/// Runs trials at the same time, on one device per processor or on `MAXEND_THREADS` devices. Mesa's
/// software adapters should then not start threads of their own (`LP_NUM_THREADS=0`).
#[test]
#[ignore = "about twenty minutes on two processors with a software adapter"]
fn every_variant_agrees_on_every_model() {
    if engine().is_none() {
        return;
    }
    let threads = std::env::var("MAXEND_THREADS").ok();
    let threads = threads.map_or_else(
        || std::thread::available_parallelism().map_or(1, usize::from),
        |number| number.parse().expect("MAXEND_THREADS is a number"),
    );
    let models: Vec<_> = models(120_000).into_iter().map(Known::new).collect();
    // The longest trials are taken first.
    let tasks = Mutex::new(tasks(&models));
    let count = tasks.lock().expect("no thread has started").len();
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let engine = device::open().expect("the device opens again");
                while let Some((known, kind, variants)) =
                    { tasks.lock().expect("no test has failed").pop() }
                {
                    known.check(&engine, kind, &variants);
                }
            });
        }
    });
    eprintln!("{} models, {count} layouts", models.len());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]

    #[test]
    fn a_covering_set_of_variants_agrees_on_random_models(model in model(300)) {
        let Some(engine) = engine() else { return Ok(()) };
        let graph = graph(&model);
        for kind in [Kind::Sccs, Kind::Mecs] {
            device::check(engine, &graph, kind, &expected(&graph, kind), &pairwise(kind));
        }
    }
}

/// Returns a kind of search and one of its variants, with segments of few lanes, of as many lanes
/// as a subgroup has, or of many lanes.
fn any_variant() -> impl Strategy<Value = (Kind, Variant)> {
    let kinds = prop::sample::select(vec![Kind::Sccs, Kind::Mecs, Kind::Mecs]);
    let drawn = kinds.prop_flat_map(|kind| {
        (
            Just(kind),
            prop::sample::select(all(kind)),
            prop::sample::select(vec![4, 32, 128]),
        )
    });
    drawn.prop_map(|(kind, mut variant, lanes)| {
        variant.options.lanes = Some(lanes);
        (kind, variant)
    })
}

/// Returns the ways to select pivots.
fn pivots_and_candidates() -> impl Iterator<Item = FbtOptions> {
    let pivots = [Pivot::Plain, Pivot::Aggregated].into_iter();
    let each = pivots.flat_map(|pivot| [Candidates::All, Candidates::Join].map(|c| (pivot, c)));
    each.map(|(pivot, candidates)| FbtOptions {
        pivot,
        candidates,
        ..FbtOptions::default()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn any_variant_agrees_on_any_random_model(
        model in model(60),
        (kind, variant) in any_variant(),
    ) {
        let Some(engine) = engine() else { return Ok(()) };
        let graph = graph(&model);
        device::check(engine, &graph, kind, &expected(&graph, kind), &[variant]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Compares the CPU's two searches, the GPU with each way to select pivots, and the definition.
    #[test]
    fn mecs_are_the_largest_end_components(model in model(8)) {
        let Some(engine) = engine() else { return Ok(()) };
        let graph = graph(&model);
        let fast = expected(&graph, Kind::Mecs);
        prop_assert_eq!(labels(&fast), mec_oracle(&model));
        let basic = Options { search: ComponentSearch::Tarjan, ..Options::default() };
        prop_assert_eq!(&mec(&graph, &basic).unwrap(), &fast);
        let mut ready = Ready::load(engine, &graph, Kind::Mecs, &FbtOptions::default()).unwrap();
        for options in pivots_and_candidates() {
            ready.set_search_options(&options);
            for search in [ComponentSearch::Fbt, ComponentSearch::Bfbt] {
                let (found, _) = ready.components(&graph, search);
                prop_assert_eq!(&found, &fast, "{:?} {:?}", search, options);
            }
        }
    }
}
