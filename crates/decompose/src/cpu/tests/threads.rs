//! Tests with real threads, which wait at random before each access to shared data, so that the
//! tests see many interleavings.

use super::super::edges::AllEdges;
use super::super::interleave;
use super::super::strategy::{Facts, Limits, Plan, RoundLimits, SharedLimits, Sweeps};
use super::super::ticker::Ticker;
use super::super::{auto_mecs, auto_sccs, kind_to_search};
use super::common::{self, Model};
use super::{draws, shuffled};
use crate::{ComponentSearch, Options, Silent, mec, scc};
use mdp_graph::{ComponentKind, Components, StateRows};
use rayon::ThreadPoolBuilder;

/// Returns a small model in which cycles are likely: a permutation, a function, or random choices.
fn draw_model(draw: &mut dyn FnMut() -> u32) -> Model {
    let n = 2 + draw() % if draw().is_multiple_of(4) { 60 } else { 10 };
    let order = shuffled(n, &mut *draw);
    let shape = draw() % 4;
    let most = 1 + draw() % 3;
    (0..n)
        .map(|state| match shape {
            0 => vec![vec![order[state as usize]]],
            1 => vec![vec![draw() % n]],
            2 => {
                let mut choices = vec![vec![order[state as usize]]];
                choices.extend((draw().is_multiple_of(4)).then(|| vec![draw() % n]));
                choices
            }
            _ => (0..draw() % (most + 1))
                .map(|_| (0..=draw() % 2).map(|_| draw() % n).collect())
                .collect(),
        })
        .collect()
}

#[test]
fn threads_that_wait_at_random_find_what_tarjan_finds() {
    let rounds = std::env::var("ROUNDS").map_or(3_000, |rounds| rounds.parse().expect("a number"));
    let mut draw = draws(0x5EED);
    let tarjan = Options {
        search: ComponentSearch::Tarjan,
        ..Options::default()
    };
    let pools = [2, 3, 4, 7].map(|threads| {
        let pool = ThreadPoolBuilder::new().num_threads(threads);
        let pool = pool.start_handler(interleave::start).build();
        pool.expect("threads start")
    });
    for round in 0..rounds {
        let model = draw_model(&mut draw);
        let graph = common::graph(&model);
        let expected =
            [scc, mec].map(|decompose| decompose(&graph, &tarjan).expect("nobody cancels"));
        let rounds = RoundLimits {
            threads: 1,
            dense: false,
            period: u32::MAX,
            scattered: if round % 2 == 0 { 0.0 } else { 1.0 },
        };
        let limits = Limits {
            states: 2,
            size: usize::MAX,
            many_threads: usize::MAX,
            portfolio_threads: usize::MAX,
            rounds: Some(rounds),
            ranges: None,
            shared: SharedLimits {
                states: 2,
                open: if round % 3 == 0 { usize::MAX } else { 1 },
            },
        };
        let pool = &pools[round % pools.len()];
        let found = pool.install(|| {
            let ticker = || Ticker::new(&Silent, graph.num_states());
            let facts = Facts::of_graph(&graph);
            let plan = |kind, sweeps| Plan::new(facts, kind, sweeps, limits);
            let rows = StateRows::new(&graph);
            let sccs = auto_sccs(
                AllEdges::new(&graph, &rows),
                &plan(ComponentKind::Scc, Sweeps::Skip),
                &mut ticker(),
            );
            let mecs = auto_mecs(
                &graph,
                &plan(kind_to_search(&graph, &facts), Sweeps::Try),
                &mut ticker(),
            );
            [
                Components::from_scc_marks(&graph, sccs.expect("nobody cancels")),
                Components::from_mec_marks(mecs.expect("nobody cancels")),
            ]
        });
        assert_eq!(found, expected, "round {round}: {model:?}");
    }
}
