//! Tests of states with so many edges that no invocation walks their rows alone, and that no
//! iteration walks a whole row.

use crate::common::{graph, model};
use crate::device::{Ready, engine, expected};
use crate::variants::Kind;
use decompose::ComponentSearch;
use decompose::gpu::{Candidates, FbtOptions};
use mdp_graph::{ChunkBuilder, Deadlocks, MdpGraph, StateId, assemble};
use proptest::prelude::*;

/// The number of entries of long rows that a workgroup walks in an iteration.
const BUDGET: u32 = gpu::kernels::fbt::LONG_BUDGET;

/// Returns a graph with two hubs. One choice of the first hub leads to all `leaves` leaves. Every
/// second leaf leads back to both hubs, and the others end. Another choice of the first hub leads
/// to the second hub, which leads to each leaf by a choice of its own.
fn hubs(leaves: u32) -> MdpGraph {
    let all: Vec<StateId> = (2..leaves + 2).map(StateId).collect();
    let mut chunk = ChunkBuilder::default();
    chunk.push_choice(StateId(0), &all);
    chunk.push_choice(StateId(0), &[StateId(1)]);
    for &leaf in &all {
        chunk.push_choice(StateId(1), &[leaf]);
    }
    for leaf in &all {
        match leaf.0 % 2 {
            0 => chunk.push_choice(*leaf, &[StateId(0), StateId(1)]),
            _ => chunk.push_choice(*leaf, &[*leaf]),
        }
    }
    let graph = assemble(leaves + 2, vec![chunk.finish()], Deadlocks::Keep);
    graph.expect("it is well formed").graph
}

/// Returns all ways in which long rows are walked: with and without the transpose, forward and
/// backward together or not.
fn all_options(long_row: u32) -> Vec<(ComponentSearch, FbtOptions)> {
    let mut all = Vec::new();
    for (transpose, hybrid) in [(true, true), (true, false), (false, true), (false, false)] {
        for search in [ComponentSearch::Fbt, ComponentSearch::Bfbt] {
            let options = FbtOptions {
                transpose,
                hybrid,
                cache_hops: if hybrid { 3 } else { 0 },
                candidates: match search {
                    ComponentSearch::Fbt => Candidates::All,
                    _ => Candidates::Join,
                },
                long_row,
                ..FbtOptions::default()
            };
            all.push((search, options));
        }
    }
    all
}

#[test]
fn rows_longer_than_an_iteration_walks_are_continued() {
    let Some(engine) = engine() else { return };
    let leaves = BUDGET + 77;
    let graph = hubs(leaves);
    for kind in [Kind::Sccs, Kind::Mecs] {
        let expected = expected(&graph, kind);
        // Only every second way is tried, because each takes some seconds.
        let ways = all_options(1024);
        for (search, options) in ways.into_iter().step_by(2) {
            let ready = Ready::load(engine, &graph, kind, &options).expect("it fits");
            let (found, statistics) = ready.components(&graph, search);
            assert!(found == expected, "{kind:?} {search:?} {options:?}");
            if options.transpose {
                // One level would be enough if an iteration could walk a whole row.
                assert!(statistics.levels >= 3, "{statistics:?}");
            }
        }
    }
}

/// The positions at which the rows of segments begin do not ascend across a segment without edges.
#[test]
fn long_rows_are_found_behind_segments_without_edges() {
    let Some(engine) = engine() else { return };
    // The first edge of the hub leads to state 1, which leads back. All other states have no edges.
    let mut model = vec![vec![]; 302];
    model[0] = vec![[1].into_iter().chain(100..112).collect()];
    model[1] = vec![vec![0]];
    let graph = graph(&model);
    for kind in [Kind::Sccs, Kind::Mecs] {
        let expected = expected(&graph, kind);
        for (search, options) in all_options(8) {
            let options = FbtOptions {
                segment_interval: 7,
                lanes: Some(8),
                ..options
            };
            let ready = Ready::load(engine, &graph, kind, &options).expect("it fits");
            let (found, _) = ready.components(&graph, search);
            assert!(found == expected, "{kind:?} {search:?} {options:?}");
        }
    }
}

/// Adds a hub to a model. Every third state also leads to the hub. The hub leads to every second
/// state, by one choice if they are `together`, and otherwise by a choice for each.
fn with_hub(mut model: Vec<Vec<Vec<u32>>>, together: bool) -> Vec<Vec<Vec<u32>>> {
    let hub = model.len() as u32;
    for choices in model.iter_mut().step_by(3) {
        choices.push(vec![hub]);
    }
    let targets: Vec<u32> = (0..hub).step_by(2).collect();
    model.push(match together {
        true => vec![targets],
        false => targets.into_iter().map(|target| vec![target]).collect(),
    });
    model
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    /// Rows may count as long from any length on, and a hub may be added to the model.
    #[test]
    fn where_rows_count_as_long_does_not_matter(
        model in model(60),
        hub: Option<bool>,
        long_row in 1u32..6,
        way in 0usize..8,
    ) {
        let Some(engine) = engine() else { return Ok(()) };
        let model = hub.map_or(model.clone(), |together| with_hub(model, together));
        let graph = graph(&model);
        let (search, options) = all_options(long_row).swap_remove(way);
        for kind in [Kind::Sccs, Kind::Mecs] {
            let ready = Ready::load(engine, &graph, kind, &options).expect("it fits");
            let (found, _) = ready.components(&graph, search);
            prop_assert_eq!(&found, &expected(&graph, kind), "{:?}", kind);
        }
    }
}
