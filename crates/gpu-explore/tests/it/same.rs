//! Explores networks on the device and on the CPU, and compares the results.

use crate::common;
use gpu::{Gpu, Request};
use gpu_explore::{Counts, Options, Tuning, count, explore};
use lts_network::Network;
use mdp_graph::Deadlocks;
use test_models::Devices;

/// Returns the device of a test. Without a device, tests are skipped.
pub(crate) fn gpu() -> Option<&'static Gpu> {
    static GPUS: Devices<Gpu> = Devices::new();
    GPUS.of_thread(|| common::open(&Request::any()))
}

/// Returns sizes with which every buffer is too small at first.
pub(crate) fn tiny(gpu: &Gpu) -> Tuning {
    Tuning {
        workgroups: 3,
        states: 1,
        candidates: 1,
        batch: 5,
        transitions: 1,
        ..Tuning::of(gpu)
    }
}

/// Returns sizes with which only the hash table overflows.
pub(crate) fn tight(gpu: &Gpu) -> Tuning {
    Tuning {
        workgroups: 1,
        slots: 16,
        tight: true,
        ..Tuning::of(gpu)
    }
}

/// Asserts that a device with these sizes finds the same as the CPU.
pub(crate) fn check(gpu: &Gpu, network: &Network, tuning: Tuning, deadlocks: Deadlocks) {
    let explore_options = explore::Options {
        deadlocks,
        actions: true,
        probabilities: true,
        ..explore::Options::default()
    };
    let expected = explore::explore(network, &explore_options).expect("no limits");
    let options = Options {
        explore: explore_options,
        tuning,
    };
    let found = explore(gpu, network, &options).expect("no limits");
    assert_eq!(found.graph.num_states(), expected.graph.num_states());
    assert!(
        found.states == expected.states,
        "the states differ: {tuning:?}"
    );
    assert!(
        found.graph == expected.graph,
        "the graphs differ: {tuning:?}"
    );
    assert!(
        found.actions == expected.actions,
        "the actions differ: {tuning:?}"
    );
    assert_eq!(found.probabilities, expected.probabilities);
    assert_eq!(found.num_initial, expected.num_initial);
    assert_eq!(found.deadlocks, expected.deadlocks);
    let counts = Counts::of(&expected);
    assert_eq!(count(gpu, network, &options), Ok(counts));
}
