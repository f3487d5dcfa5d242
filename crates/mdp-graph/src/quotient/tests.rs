//! Tests that compare quotients with an oracle, which follows the definition and uses sets.

use super::{Quotient, StayPolicy};
use crate::{Components, MdpGraph, StateId};
use proptest::collection::vec;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

type Model = Vec<Vec<Vec<u32>>>;

/// Returns a model, and a mark for each of its states. States with the same mark are in one group.
fn marked(states: u32) -> impl Strategy<Value = (Model, Vec<u32>)> {
    (1..=states).prop_flat_map(|n| {
        let targets = vec(0..n, 1..5).prop_map(|mut targets| {
            targets.sort_unstable();
            targets.dedup();
            targets
        });
        let model = vec(vec(targets.prop_shuffle(), 0..4), n as usize);
        let mark = prop_oneof![3 => 0..n, 1 => Just(Components::NONE)];
        (model, vec(mark, n as usize))
    })
}

/// Returns the number of each state's class. States with the same mark are in one class, and each
/// state without a mark is a class by itself.
fn classes(marks: &[u32]) -> Vec<usize> {
    let mut firsts = BTreeMap::new();
    let mut count = 0;
    let class = |&mark: &u32| {
        let new = count;
        let class = match mark {
            Components::NONE => new,
            mark => *firsts.entry(mark).or_insert(new),
        };
        count += usize::from(class == new);
        class
    };
    marks.iter().map(class).collect()
}

/// Returns the choices of the quotient, each with the weight of each target.
fn oracle(model: &Model, marks: &[u32], sink: bool) -> Vec<Vec<BTreeMap<u32, f64>>> {
    let classes = classes(marks);
    let count = classes.iter().max().map_or(0, |most| most + 1);
    let mut quotient = vec![Vec::new(); count];
    let mut weight = 0.0;
    for (state, choices) in model.iter().enumerate() {
        for choice in choices {
            let mut targets = BTreeMap::new();
            for &target in choice {
                weight += 1.0;
                *targets
                    .entry(classes[target as usize] as u32)
                    .or_insert(0.0) += weight;
            }
            let stays = targets.keys().all(|&to| to as usize == classes[state]);
            if marks[state] == Components::NONE || !stays {
                quotient[classes[state]].push(targets);
            }
        }
    }
    for (class, choices) in quotient.iter_mut().enumerate() {
        let is_component = (0..marks.len())
            .any(|state| classes[state] == class && marks[state] != Components::NONE);
        if is_component && sink {
            choices.push(BTreeMap::from([(count as u32, 1.0)]));
        } else if is_component && choices.is_empty() {
            choices.push(BTreeMap::from([(class as u32, 1.0)]));
        }
    }
    if sink {
        quotient.push(vec![BTreeMap::from([(count as u32, 1.0)])]);
    }
    quotient
}

/// Returns the choices of a graph with the value of each branch.
fn weighted(graph: &MdpGraph, values: &[f64]) -> Vec<Vec<BTreeMap<u32, f64>>> {
    let of_state = |state| {
        let choices = graph.choices(state).map(|choice| {
            let first = graph.branch_offsets()[choice.index()] as usize;
            let targets = graph.targets(choice).iter().map(|target| target.0);
            targets.zip(values[first..].iter().copied()).collect()
        });
        choices.collect()
    };
    graph.states().map(of_state).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn quotients_are_those_of_the_definition((model, marks) in marked(12), stay: bool) {
        let graph = MdpGraph::from_choices(&model)?;
        let components = Components::from_mec_marks(marks.clone());
        let staying = if stay { StayPolicy::ToSink } else { StayPolicy::MustLeave };
        let quotient = Quotient::of_end_components(&graph, &components, staying)?;
        let values: Vec<f64> = (1..=graph.num_branches()).map(|i| i as f64).collect();
        let merged = quotient.merge_values(&graph, &values);
        prop_assert_eq!(merged.len(), quotient.graph().num_branches());
        prop_assert_eq!(weighted(quotient.graph(), &merged), oracle(&model, &marks, stay));
        let states: Vec<usize> = graph.states().map(|s| quotient.state_of(s).index()).collect();
        prop_assert_eq!(states, classes(&marks));
        prop_assert_eq!(quotient.sink().is_some(), stay);
    }

    #[test]
    fn a_condensation_has_the_edges_between_components((model, marks) in marked(12)) {
        let marks: Vec<u32> = (0..).zip(marks).map(|(state, mark)| mark.min(state)).collect();
        let graph = MdpGraph::from_choices(&model)?;
        let components = Components::from_scc_marks(&graph, marks.clone());
        let condensation = Quotient::condensation(&graph, &components)?;
        let classes = classes(&marks);
        let mut edges = BTreeSet::new();
        for (state, choices) in model.iter().enumerate() {
            let targets = choices.iter().flatten().map(|&to| classes[to as usize]);
            edges.extend(targets.filter(|&to| to != classes[state]).map(|to| (classes[state], to)));
        }
        let graph = condensation.graph();
        let found = graph.states().flat_map(|state| {
            let targets = graph.choices(state).map(move |choice| graph.targets(choice));
            targets.map(move |to| (state.index(), to[0].index()))
        });
        // The edges are in this order, and each of them occurs once.
        prop_assert!(found.eq(edges));
    }

    #[test]
    fn only_the_choices_asked_for_are_retained((model, _) in marked(12), bits: u64) {
        let graph = MdpGraph::from_choices(&model)?;
        let keeps = |choice: usize| bits >> (choice % 64) & 1 == 1;
        let kept = graph.retain_choices(|_, choice| keeps(choice.index()))?;
        let mut number = 0;
        let expected: Model = model.iter().map(|choices| {
            let kept = choices.iter().filter(|_| { number += 1; keeps(number - 1) });
            kept.cloned().collect()
        }).collect();
        prop_assert_eq!(kept, MdpGraph::from_choices(&expected)?);
    }
}

#[test]
fn many_runs_are_joined() {
    // The graph is a ring of 10,000 pairs of states. Each pair is a component that leads to the
    // next.
    let pairs = 10_000;
    let choices: Model = (0..2 * pairs)
        .map(|state| match state % 2 {
            0 => vec![vec![state + 1]],
            _ => vec![vec![state - 1], vec![(state + 1) % (2 * pairs)]],
        })
        .collect();
    let graph = MdpGraph::from_choices(&choices).expect("it is a graph");
    let components = Components::from_mec_marks((0..2 * pairs).map(|s| s / 2).collect::<Vec<_>>());
    let quotient = Quotient::of_end_components(&graph, &components, StayPolicy::MustLeave)
        .expect("there is enough memory");
    let ring: Model = (0..pairs)
        .map(|class| vec![vec![(class + 1) % pairs]])
        .collect();
    assert_eq!(
        quotient.graph(),
        &MdpGraph::from_choices(&ring).expect("it is a graph")
    );
    assert_eq!(
        quotient.state_of(StateId(2 * pairs - 1)),
        StateId(pairs - 1)
    );
}
