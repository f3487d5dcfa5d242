//! Random networks: what is explored is the product by brute force, and states have the numbers of
//! a sequential search.

use crate::oracle::{Transition, reach};
use explore::{Exploration, Options, System as _, explore};
use lts_formats::{
    Behaviour, Hide, Lts, Matching, Parallel, Position, Rename, Synchronisation, Vector,
};
use lts_network::Network;
use mdp_graph::{Deadlocks, StateId};
use proptest::prelude::*;
use std::collections::BTreeSet;

const NOWHERE: Position = Position {
    offset: 0,
    length: 0,
    line: 1,
    column: 1,
};

/// Products with more states are left out.
const MOST_STATES: usize = 500;

fn label() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["a", "b", "c", "a !1", "a !2"]).prop_map(str::to_owned)
}

fn any_label() -> impl Strategy<Value = String> {
    prop_oneof![4 => label(), 1 => Just("i".to_owned()), 1 => Just("tau".to_owned())]
}

fn lts() -> impl Strategy<Value = Behaviour> {
    (1..5_u32).prop_flat_map(|states| {
        let transitions = prop::collection::vec((0..states, any_label(), 0..states), 0..9);
        (0..states, transitions).prop_map(move |(initial, transitions)| {
            let transitions = transitions
                .iter()
                .map(|(s, label, t)| (*s, label.as_str(), *t));
            Behaviour::Lts(Lts::from_transitions(states, initial, transitions).expect("in range"))
        })
    })
}

fn matching() -> impl Strategy<Value = Matching> {
    prop_oneof![Just(Matching::Gate), Just(Matching::Total)]
}

fn behaviour() -> impl Strategy<Value = Behaviour> {
    lts().prop_recursive(3, 6, 3, |inner| {
        prop_oneof![
            3 => parallel(inner.clone()),
            1 => (matching(), any::<bool>(), prop::collection::vec(label(), 1..3), inner.clone())
                .prop_map(|(matching, all_but, labels, inner)| Behaviour::Hide(Hide {
                    matching,
                    all_but,
                    labels,
                    behaviour: Box::new(inner),
                })),
            1 => (prop::collection::vec((label(), any_label()), 1..3), inner)
                .prop_map(|(rules, inner)| Behaviour::Rename(Rename {
                    rules,
                    behaviour: Box::new(inner),
                })),
        ]
    })
}

fn parallel(inner: impl Strategy<Value = Behaviour>) -> impl Strategy<Value = Behaviour> {
    let branches = prop::collection::vec(inner, 1..4);
    (branches, any::<bool>(), matching()).prop_flat_map(|(branches, is_vectors, matching)| {
        let parts = prop::collection::vec(prop::option::of(label()), branches.len());
        let parts = parts.prop_filter("all _", |parts| parts.iter().any(Option::is_some));
        let vector = (parts, any_label()).prop_map(|(parts, result)| Vector {
            parts,
            result,
            position: NOWHERE,
        });
        let synchronisation = match is_vectors {
            true => prop::collection::vec(vector, 1..9)
                .prop_map(Synchronisation::Vectors)
                .boxed(),
            false => prop::collection::vec(label(), 0..3)
                .prop_map(move |labels| Synchronisation::Labels { matching, labels })
                .boxed(),
        };
        synchronisation.prop_map(move |synchronisation| {
            Behaviour::Parallel(Parallel {
                synchronisation,
                branches: branches.clone(),
            })
        })
    })
}

fn compile(behaviour: &Behaviour) -> Network {
    let compiled = Network::compile(behaviour, |file| Err(file.path.clone()));
    compiled.expect("a network without files")
}

/// The states of the processes in a state of the system.
fn unpack(network: &Network, found: &Exploration, state: StateId) -> Vec<u32> {
    let packed = found.states.get(state);
    network
        .fields()
        .iter()
        .map(|field| field.get(packed))
        .collect()
}

/// The transitions of a state as they were found, in order.
fn listed(network: &Network, found: &Exploration, state: StateId) -> Vec<(Transition, StateId)> {
    let actions = found.actions.as_ref().expect("actions were asked for");
    let choices = found.graph.choices(state);
    let transitions = choices.map(|choice| {
        let label = &network.labels()[actions[choice.index()] as usize - 1];
        let [target] = *found.graph.targets(choice) else {
            panic!("one target")
        };
        ((label.clone(), unpack(network, found, target)), target)
    });
    transitions.collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn what_is_explored_is_the_product(behaviour in behaviour()) {
        let Some(expected) = reach(&behaviour, MOST_STATES) else { return Ok(()) };
        let network = compile(&behaviour);
        let options = Options {
            deadlocks: Deadlocks::Keep,
            actions: true,
            ..Options::default()
        };
        let found = explore(&network, &options).expect("no limits");
        prop_assert_eq!(found.graph.num_states(), expected.len());
        let mut next = 1;
        for state in found.graph.states() {
            let listed = listed(&network, &found, state);
            for &(_, target) in &listed {
                // A state that is new has the next number.
                prop_assert!(target.0 <= next);
                next = next.max(target.0 + 1);
            }
            let count = listed.len();
            let set: BTreeSet<Transition> = listed.into_iter().map(|(t, _)| t).collect();
            prop_assert_eq!(set.len(), count, "a transition was told twice");
            let packed = found.states.get(state);
            prop_assert_eq!(network.is_deadlock(&mut network.scratch(), packed), count == 0);
            prop_assert_eq!(&set, &expected[&unpack(&network, &found, state)]);
        }
    }
}
