//! Tests that the searches agree with each other and with oracles that follow the definitions
//! alone.

#[path = "../common/mod.rs"]
mod common;
mod quotients;

use common::{graph, mec_oracle, model, scc_oracle};
use decompose::{ComponentSearch, Error, Observer, Options, decompose, mec, scc};
use mdp_graph::{ComponentKind, Components, MdpGraph, StateId};
use proptest::prelude::*;

fn search(search: ComponentSearch) -> Options<'static> {
    Options {
        search,
        ..Options::default()
    }
}

fn labels(components: &Components) -> Vec<Option<u32>> {
    let states = (0..components.num_states()).map(StateId::from_index);
    states
        .map(|s| components.smallest_of(s).map(|label| label.0))
        .collect()
}

/// Returns a chain of `n` states. With `back`, each of them also leads back.
fn chain(n: u32, back: bool) -> MdpGraph {
    let next = |s: u32| (s + 1).min(n - 1);
    let choices = |s: u32| match back {
        true => vec![vec![next(s)], vec![s.saturating_sub(1)]],
        false => vec![vec![next(s)]],
    };
    graph(&(0..n).map(choices).collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn sccs_are_those_of_the_transitive_closure(model in model(12)) {
        let graph = graph(&model);
        let fast = scc(&graph, &search(ComponentSearch::Auto)).unwrap();
        prop_assert_eq!(labels(&fast), scc_oracle(&model));
        prop_assert_eq!(scc(&graph, &search(ComponentSearch::Tarjan)).unwrap(), fast);
    }

    #[test]
    fn bottom_components_are_those_that_no_edge_leaves(model in model(12)) {
        let graph = graph(&model);
        let found = decompose(&graph, ComponentKind::Bscc, &Options::default()).unwrap();
        prop_assert_eq!(found.kind(), ComponentKind::Bscc);
        let sccs = scc_oracle(&model);
        let is_left = |name| {
            let members = (0..model.len()).filter(|&state| sccs[state] == name);
            members
                .flat_map(|state| model[state].iter().flatten())
                .any(|&target| sccs[target as usize] != name)
        };
        let bottom: Vec<_> = sccs.iter().map(|&name| name.filter(|_| !is_left(name))).collect();
        prop_assert_eq!(labels(&found), bottom);
    }

    #[test]
    fn mecs_are_the_largest_end_components(model in model(8)) {
        let graph = graph(&model);
        let fast = mec(&graph, &search(ComponentSearch::Auto)).unwrap();
        prop_assert_eq!(labels(&fast), mec_oracle(&model));
        prop_assert_eq!(mec(&graph, &search(ComponentSearch::Tarjan)).unwrap(), fast);
    }

    #[test]
    fn searches_agree_on_larger_models(model in model(120)) {
        let graph = graph(&model);
        let sccs = scc(&graph, &search(ComponentSearch::Auto)).unwrap();
        prop_assert_eq!(scc(&graph, &search(ComponentSearch::Tarjan)).unwrap(), sccs);
        let mecs = mec(&graph, &search(ComponentSearch::Auto)).unwrap();
        prop_assert_eq!(mec(&graph, &search(ComponentSearch::Tarjan)).unwrap(), mecs);
    }
}

#[test]
fn choices_that_leave_are_removed_and_not_only_states() {
    // States 0 and 1 reach each other, and each may stay for ever, but never both together.
    let leaky = vec![
        vec![vec![0], vec![1, 2]],
        vec![vec![1], vec![0, 3]],
        vec![vec![2]],
        vec![vec![3]],
    ];
    let mecs = mec(&graph(&leaky), &Options::default()).unwrap();
    assert_eq!(labels(&mecs), [Some(0), Some(1), Some(2), Some(3)]);
}

#[test]
fn what_a_choice_led_to_is_not_forgotten_when_it_leaves() {
    // State 2 leads to 5 by a choice that may also leave for the deadlock 10. State 3 is lost in
    // the same way, together with 9, before 2 is lost. None of the states that were reached on the
    // way is an end component.
    let mut strays = vec![vec![]; 13];
    strays[12] = vec![vec![1]];
    strays[1] = vec![vec![2]];
    strays[2] = vec![vec![5, 10], vec![3]];
    strays[5] = vec![vec![12]];
    strays[3] = vec![vec![9, 11]];
    strays[9] = vec![vec![1]];
    assert!(
        mec(&graph(&strays), &Options::default())
            .unwrap()
            .is_empty()
    );
}

#[test]
fn a_graph_without_states_has_no_components() {
    let empty = graph(&vec![]);
    assert!(scc(&empty, &Options::default()).unwrap().is_empty());
    assert!(mec(&empty, &Options::default()).unwrap().is_empty());
}

#[test]
fn depth_takes_no_call_stack() {
    for search in [ComponentSearch::Auto, ComponentSearch::Tarjan].map(search) {
        let backward: Vec<_> = (0..1_000_000u32)
            .map(|s| vec![vec![s.saturating_sub(1)]])
            .collect();
        assert_eq!(scc(&graph(&backward), &search).unwrap().len(), 1_000_000);
        assert_eq!(mec(&graph(&backward), &search).unwrap().len(), 1);
        let forward = chain(1_000_000, false);
        assert_eq!(scc(&forward, &search).unwrap().len(), 1_000_000);
        assert_eq!(mec(&forward, &search).unwrap().len(), 1);
        let both_ways = chain(1_000_000, true);
        assert_eq!(scc(&both_ways, &search).unwrap().len(), 1);
        assert_eq!(mec(&both_ways, &search).unwrap().len(), 1);
    }
}

struct Impatient;

impl Observer for Impatient {
    fn is_cancelled(&self) -> bool {
        true
    }
}

#[test]
fn an_observer_can_stop_every_search() {
    let graph = chain(100_000, true);
    for search in [ComponentSearch::Auto, ComponentSearch::Tarjan] {
        let options = Options {
            search,
            observer: &Impatient,
            ..Options::default()
        };
        assert_eq!(scc(&graph, &options), Err(Error::Cancelled));
        assert_eq!(mec(&graph, &options), Err(Error::Cancelled));
    }
}

/// The graph has long edges and is large enough for sweeps. It has a component of most states, many
/// small components, and choices that leave them.
#[test]
fn sweeps_and_searches_agree_where_sweeps_pay() {
    let n = 100_000_u32;
    let step = |s: u32, by: u32| (s * 7919 + by) % (n - n / 8);
    let choices = |s: u32| match s {
        _ if s >= n - n / 8 => vec![vec![s], vec![(s + 1).min(n - 1)]],
        _ if s.is_multiple_of(9) => vec![vec![step(s, 1)], vec![step(s, 5), n - 1 - s / 9]],
        _ => vec![vec![step(s, 1), step(s, 11)], vec![step(s, 3)]],
    };
    let graph = graph(&(0..n).map(choices).collect());
    let [auto, tarjan] = [ComponentSearch::Auto, ComponentSearch::Tarjan].map(search);
    assert_eq!(scc(&graph, &auto).unwrap(), scc(&graph, &tarjan).unwrap());
    assert_eq!(mec(&graph, &auto).unwrap(), mec(&graph, &tarjan).unwrap());
    let stopped = Options {
        observer: &Impatient,
        ..auto
    };
    assert_eq!(scc(&graph, &stopped), Err(Error::Cancelled));
    assert_eq!(mec(&graph, &stopped), Err(Error::Cancelled));
}
