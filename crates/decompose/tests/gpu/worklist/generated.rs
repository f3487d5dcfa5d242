//! Tests of generated models of every family, each of which is the worst for some search: the
//! components are those of the CPU, and a search takes few iterations.

#[path = "../../../../../xtask/src/generate/families/mod.rs"]
mod families;

use super::{alone, load, load_in_shards, mecs};
use crate::device::{self, engine};
use crate::variants::Kind;
use decompose::Silent;
use decompose::gpu::HostGraph;
use decompose::gpu::worklist::{Profile, Tuning};
use families::Family;
use mdp_graph::{ChunkBuilder, Components, Deadlocks, Digraph, MdpGraph, StateId, assemble};

/// Returns the model of a family that has about this many states.
fn model_of(family: Family, states: u32) -> MdpGraph {
    let model = family.model(family.size_for(states), 0);
    let model = model.expect("there is a model of that size");
    let mut chunk = ChunkBuilder::default();
    for state in 0..model.num_states() {
        model.choices(state, &mut |_, branches| {
            let targets: Vec<_> = branches
                .iter()
                .map(|&(target, _)| StateId(target))
                .collect();
            chunk.push_choice(StateId(state), &targets);
        });
    }
    let built = assemble(model.num_states(), vec![chunk.finish()], Deadlocks::Keep);
    built.expect("it is a model").graph
}

/// Returns the default tuning, and one that divides regions by colours as soon as an iteration
/// finds little.
fn tunings() -> [Tuning; 2] {
    let soon = Tuning {
        most_thin: 1,
        search_hops: 3,
        hops: 3,
        one_component_degree: u32::MAX,
        ..alone()
    };
    [alone(), soon]
}

/// Prints the cost of a search, for developers who change the engine.
fn show(family: Family, kind: Kind, profile: &Profile) {
    let phases: Vec<_> = { profile.phases.iter() }
        .filter(|phase| phase.iterations != 0)
        .map(|phase| (phase.name, phase.iterations))
        .collect();
    let (name, rounds) = (family.described().0, profile.rounds);
    let iterations = profile.iterations;
    eprintln!("{name} {kind:?}: {rounds} rounds, {iterations} iterations {phases:?}");
}

#[test]
fn sccs_of_every_family_take_few_iterations() {
    let Some(engine) = engine() else { return };
    for &family in Family::ALL {
        let graph = model_of(family, 2000);
        let expected = device::expected(&graph, Kind::Sccs);
        let digraph = Digraph::new(&graph);
        let mut loaded = [
            load(engine, &digraph),
            load_in_shards(engine, HostGraph::Edges(&digraph)),
        ];
        for (loaded, tuning) in loaded.iter_mut().zip(&tunings()) {
            loaded.tune(tuning).expect("there is room");
            let (marks, profile) = loaded
                .find_components(&Silent)
                .expect("the search succeeds");
            show(family, Kind::Sccs, &profile);
            assert!(
                Components::from_scc_marks(&graph, marks) == expected,
                "{family:?}"
            );
            let most = if *tuning == alone() { 120 } else { 200 };
            assert!(profile.iterations <= most, "{family:?}");
        }
    }
}

/// Returns the model with its states numbered in the opposite order.
fn reversed(graph: &MdpGraph) -> MdpGraph {
    let n = graph.num_states() as u32;
    let mut chunk = ChunkBuilder::default();
    for state in (0..n).rev() {
        for choice in graph.choices(StateId(state)) {
            let targets = { graph.targets(choice).iter() }.map(|target| StateId(n - 1 - target.0));
            chunk.push_choice(StateId(n - 1 - state), &targets.collect::<Vec<_>>());
        }
    }
    let built = assemble(n, vec![chunk.finish()], Deadlocks::Keep);
    built.expect("it is a model").graph
}

/// A search that followed these choices step by step, with three hops per iteration, or that took a
/// round for each component would take hundreds of iterations.
#[test]
fn choices_that_are_lost_one_after_the_other_take_few_iterations() {
    let Some(engine) = engine() else { return };
    let [_, soon] = tunings();
    for (family, states, most) in [
        (Family::Drift, 1200, 80),
        (Family::Ladder, 1200, 80),
        // Most of these iterations divide the long cycle to which the stairs lead.
        (Family::Stairs, 3000, 260),
    ] {
        let graph = model_of(family, states);
        for graph in [reversed(&graph), graph] {
            let expected = device::expected(&graph, Kind::Mecs);
            let mut loaded = mecs::load(engine, &graph);
            loaded.tune(&soon).expect("there is room");
            let (marks, profile) = loaded
                .find_components(&Silent)
                .expect("the search succeeds");
            show(family, Kind::Mecs, &profile);
            assert!(Components::from_mec_marks(marks) == expected, "{family:?}");
            assert!(profile.iterations <= most, "{family:?}");
        }
    }
}

#[test]
fn mecs_of_every_family_are_those_of_the_cpu() {
    let Some(engine) = engine() else { return };
    for &family in Family::ALL {
        let graph = model_of(family, 100);
        let expected = device::expected(&graph, Kind::Mecs);
        let mut loaded = [
            mecs::load(engine, &graph),
            load_in_shards(engine, HostGraph::Choices(&graph)),
        ];
        for (loaded, tuning) in loaded.iter_mut().zip(&tunings()) {
            loaded.tune(tuning).expect("there is room");
            let (marks, profile) = loaded
                .find_components(&Silent)
                .expect("the search succeeds");
            show(family, Kind::Mecs, &profile);
            assert!(Components::from_mec_marks(marks) == expected, "{family:?}");
        }
    }
}
