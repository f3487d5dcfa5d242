//! Tests that a device counts states of one to eight words, whichever buffers are too small at
//! first.

use crate::cases::{Case, pipeline, rings};
use crate::same::{gpu, tight, tiny};
use gpu::Gpu;
use gpu_explore::{Options, Tuning, count};

/// Asserts that a device counts the right numbers of states, transitions and deadlocks.
fn check(gpu: &Gpu, case: &Case) {
    let small = Tuning {
        workgroups: 2,
        states: 3,
        batch: 100,
        ..Tuning::of(gpu)
    };
    for tuning in [Tuning::of(gpu), tiny(gpu), tight(gpu), small] {
        let options = Options {
            tuning,
            ..Options::new(gpu)
        };
        let found = count(gpu, &case.network, &options);
        assert_eq!(found, Ok(case.counts), "{}, {tuning:?}", case.name);
    }
}

#[test]
fn pipelines_of_all_widths_are_counted() {
    let Some(gpu) = gpu() else { return };
    let mut words = Vec::new();
    // Each of the eight cells has one bit per replica. Where words are full, states get numbers.
    for replicas in [1, 4, 5, 8, 12, 31] {
        let case = pipeline(8, replicas).expect("a network");
        words.push(case.network.num_words());
        check(gpu, &case);
    }
    assert_eq!(words, [1, 1, 2, 2, 3, 8]);
}

#[test]
fn independent_rings_are_counted() {
    let Some(gpu) = gpu() else { return };
    check(gpu, &rings(2).expect("a network"));
}
