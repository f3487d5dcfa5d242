//! Tests with random networks: the device finds the same as the CPU, and this is the product, which
//! is also computed by brute force.

use crate::networks::{behaviour, compile};
use crate::oracle::reach;
use crate::resident::resident;
use crate::same::{check, gpu, tight};
use gpu_explore::{Options, Tuning, count, explore};
use mdp_graph::Deadlocks;
use proptest::prelude::*;

/// The maximum number of states of a product. Larger products are left out.
const MAX_STATES: usize = 500;

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn random_networks_are_explored_as_on_the_cpu(
        behaviour in behaviour(),
        candidates in 1..40_u32,
        batch in 1..20_u32,
    ) {
        let Some(gpu) = gpu() else { return Ok(()) };
        let Some(expected) = reach(&behaviour, MAX_STATES) else { return Ok(()) };
        let network = compile(&behaviour);
        let tuning = Tuning { candidates, batch, transitions: 50, states: 2, ..Tuning::of(gpu) };
        check(gpu, &network, tuning, Deadlocks::Keep);
        check(gpu, &network, tight(gpu), Deadlocks::SelfLoop);
        let cut = Options { tuning, ..Options::new(gpu) };
        let whole = explore(gpu, &network, &cut).expect("no limits");
        prop_assert_eq!(resident(gpu, &network, &cut), (whole.graph, whole.deadlocks));
        let found = count(gpu, &network, &Options::new(gpu)).expect("no limits");
        prop_assert_eq!(found.states, expected.len() as u64);
    }
}
