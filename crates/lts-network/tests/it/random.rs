//! Random networks: what is explored is the product by brute force, and states have the numbers of
//! a sequential search.

use crate::networks::{behaviour, compile};
use crate::oracle::{Transition, reach};
use explore::{Exploration, Options, System as _, explore};
use lts_network::Network;
use mdp_graph::{Deadlocks, StateId};
use proptest::prelude::*;
use std::collections::BTreeSet;

/// Products with more states are left out.
const MAX_STATES: usize = 500;

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
        let Some(expected) = reach(&behaviour, MAX_STATES) else { return Ok(()) };
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
