//! Graphs for searches.

use bfs::{BfsTree, Options, search};
use mdp_graph::{MdpGraph, StateId};
use proptest::prelude::*;
use verify::small;

/// The choices of each state, each with its targets.
pub(crate) type Model = Vec<Vec<Vec<u32>>>;

/// Returns the graph of a model. Deadlocks stay as they are.
pub(crate) fn graph(model: &Model) -> MdpGraph {
    MdpGraph::from_choices(model).expect("a model is well formed")
}

/// Returns the graph with these targets of each state. Each state has one choice.
pub(crate) fn digraph(n: u32, targets: impl Fn(u32) -> Vec<u32>) -> MdpGraph {
    let row = |state| match targets(state) {
        row if row.is_empty() => vec![],
        row => vec![row],
    };
    graph(&(0..n).map(row).collect())
}

/// Returns models of up to `most` states, with some sources: random ones, ones whose targets lie
/// near their state, so that paths are long, and ones with hubs.
pub(crate) fn models(most: u32) -> impl Strategy<Value = (Model, Vec<u32>)> {
    (1..=most, 0..3_u32).prop_flat_map(|(n, shape)| {
        let target = move |state: u32| match shape {
            0 => (0..n).boxed(),
            1 => (state.saturating_sub(2)..(state + 3).min(n)).boxed(),
            _ => prop_oneof![3 => 0..n.min(3), 1 => 0..n].boxed(),
        };
        let states = (0..n).map(move |state| {
            let targets = prop::collection::btree_set(target(state), 1..4);
            let choice = targets.prop_map(|targets| targets.into_iter().collect::<Vec<_>>());
            prop::collection::vec(choice, 0..3)
        });
        let sources = prop::collection::vec(0..n, 0..4);
        (states.collect::<Vec<_>>(), sources)
    })
}

/// Returns all digraphs of one to three states side by side, and the first state of each.
pub(crate) fn all_small_digraphs() -> (MdpGraph, Vec<StateId>) {
    let mut union = Model::new();
    let mut sources = Vec::new();
    for model in (1..=3).flat_map(small::digraphs) {
        let first = union.len() as u32;
        sources.push(StateId(first));
        union.extend(model.into_iter().map(|choices| {
            let shifted = |choice: Vec<u32>| choice.into_iter().map(|t| t + first).collect();
            choices.into_iter().map(shifted).collect()
        }));
    }
    (graph(&union), sources)
}

/// Searches on the CPU.
pub(crate) fn on_cpu(graph: &MdpGraph, sources: &[StateId]) -> BfsTree {
    search(graph, sources, &Options::default()).expect("nobody cancels")
}
