//! Models of many shapes, and their components found by several workers.

use cluster::{ComponentLabels, Error, Net, Part, Tuning, mec, on_threads, part_of, scc};
use mdp_graph::{ComponentKind, Components, MdpGraph, StateId};
use proptest::prelude::*;
use std::sync::Arc;

/// Numbers that do not fit 32 bits begin here.
pub(crate) const FAR: u64 = (1 << 32) - 3;

/// Models of up to `most` states: uniformly random ones, ones whose targets lie near their state,
/// ones whose targets mostly lie ahead, a long cycle with chords and leaks, and ones whose states
/// are scattered over all workers.
pub(crate) fn model(most: u32) -> impl Strategy<Value = MdpGraph> {
    (1..=most, 0..5u32).prop_flat_map(|(n, shape)| {
        let target = move |state: u32| match shape {
            0 => (0..n).boxed(),
            1 => (state.saturating_sub(2)..(state + 3).min(n)).boxed(),
            2 => prop_oneof![9 => state..n, 1 => 0..n].boxed(),
            3 => prop_oneof![6 => Just((state + 1) % n), 2 => 0..n, 1 => Just(n - 1)].boxed(),
            _ => prop_oneof![4 => Just((state + n / 2) % n), 3 => Just((state + n / 3 + 1) % n),
                1 => 0..n]
            .boxed(),
        };
        let states = (0..n).map(move |state| {
            let targets = prop::collection::btree_set(target(state), 1..4);
            let choice = targets.prop_map(|targets| targets.into_iter().collect::<Vec<_>>());
            prop::collection::vec(choice, 0..4)
        });
        let graph = |states: Vec<Vec<Vec<u32>>>| MdpGraph::from_choices(&states);
        states
            .collect::<Vec<_>>()
            .prop_map(move |states| graph(states).expect("well formed"))
    })
}

/// The components that this many workers find, if the first state has this number; and in how many
/// supersteps of the decomposition.
pub(crate) fn found(
    graph: &Arc<MdpGraph>,
    kind: ComponentKind,
    (workers, tuning): (usize, Tuning),
    first: u64,
) -> (Vec<Option<u64>>, u64) {
    let graph = Arc::clone(graph);
    let find = move |net: &mut Net<'_>| {
        net.tune(tuning);
        let part = part_of(&graph, first, net)?;
        let before = net.supersteps();
        let labels = search(kind)(&part, net)?;
        Ok::<_, Error>((labels, net.supersteps() - before))
    };
    let found = on_threads(workers, find).expect("the workers start");
    let found: Result<Vec<_>, _> = found.into_iter().collect();
    let found = found.expect("small parts");
    let supersteps = found.first().map_or(0, |one| one.1);
    let labels = found.iter().flat_map(|(labels, _)| labels.iter());
    (labels.collect(), supersteps)
}

type Search = fn(&Part, &mut Net<'_>) -> Result<ComponentLabels, Error>;

fn search(kind: ComponentKind) -> Search {
    match kind {
        ComponentKind::Mec => mec,
        _ => scc,
    }
}

/// The components that one machine finds.
pub(crate) fn expected(graph: &MdpGraph, kind: ComponentKind, first: u64) -> Vec<Option<u64>> {
    let options = decompose::Options::default();
    let found = decompose::decompose(graph, kind, &options).expect("small models");
    labels(&found, first)
}

/// The label of each state.
pub(crate) fn labels(components: &Components, first: u64) -> Vec<Option<u64>> {
    let states = (0..components.num_states()).map(StateId::from_index);
    let label = |state| {
        components
            .smallest_of(state)
            .map(|label| first + u64::from(label.0))
    };
    states.map(label).collect()
}

/// Returns the violation that one worker has found, if there is one. Then all workers must fail.
pub(crate) fn the_violation(results: Vec<Result<(), Error>>) -> Option<String> {
    let failed = results.iter().filter(|result| result.is_err()).count();
    assert!(failed == 0 || failed == results.len(), "{results:?}");
    let mut said = results.into_iter().filter_map(|result| match result {
        Err(Error::Violation(violation)) => Some(violation.to_string()),
        _ => None,
    });
    let violation = said.next();
    assert_eq!(violation.is_some(), failed > 0);
    assert!(said.next().is_none(), "one worker says why");
    violation
}
