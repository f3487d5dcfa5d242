//! Tests of gains whose iteration runs on a GPU. Their bounds are compared with all strategies,
//! with the CPU, and with exact averages. These tests use Mesa's lavapipe, or the adapter that
//! `MAXEND_ADAPTER` names.

use crate::{Model, arrays, best, model, objectives};
use gpu::{Gpu, Request};
use long_run::{Answer, Bounds, Error, Objective, OpenDevice, Options, Problem, Rewards, Subject};
use long_run::{solve, solve_exactly};
use mdp_graph::StateId;
use proptest::prelude::*;
use std::sync::OnceLock;
use test_models::{adapter, device_or_skip};

/// Returns the adapter under test. Without it, tests are skipped or, if a device is required, fail.
fn gpu() -> Option<&'static Gpu> {
    static GPU: OnceLock<Option<Gpu>> = OnceLock::new();
    let open = || device_or_skip(Gpu::open(&Request::named(adapter())));
    GPU.get_or_init(open).as_ref()
}

fn on<'a>(gpu: &Gpu) -> Options<'a> {
    Options {
        device: OpenDevice::Gpu(gpu.clone()),
        ..Options::default()
    }
}

/// Solves a model for all of its states, with rewards of its choices.
fn solved(model: &Model, objective: Objective, options: &Options<'_>) -> Result<Answer, Error> {
    let (graph, probabilities, rewards) = arrays(model);
    let rewards = Rewards {
        choices: Some(&rewards),
        ..Rewards::default()
    };
    let problem = Problem::new(&graph, &probabilities, rewards, objective).expect("a problem");
    let states: Vec<StateId> = graph.states().collect();
    solve(&problem, &states, options)
}

/// Returns whether a number can satisfy both pairs of bounds.
fn meet(a: Bounds, b: Bounds) -> bool {
    a.lower <= b.upper && b.lower <= a.upper
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn bounds_contain_the_best_of_all_strategies(model in model(), objective in objectives()) {
        if let Some(gpu) = gpu() {
            let answer = solved(&model, objective, &on(gpu)).expect("an answer");
            let on_cpu = solved(&model, objective, &Options::default()).expect("an answer");
            prop_assert_eq!(answer.mecs(), on_cpu.mecs());
            for (mec, on_cpu) in answer.gains().iter().zip(on_cpu.gains()) {
                prop_assert!(meet(mec.gain, on_cpu.gain));
                prop_assert!(mec.gain.width() <= 5e-7);
            }
            for (state, expected) in best(&model, objective).into_iter().enumerate() {
                let Bounds { lower, upper } = answer.value(StateId(state as u32));
                prop_assert!(upper - lower <= 1e-6);
                prop_assert!(lower - 1e-7 <= expected && expected <= upper + 1e-7);
            }
        }
    }
}

/// Returns a ring whose states lead on, or back to the first one, with probabilities and rewards
/// that look random.
fn ring(states: u32) -> Model {
    let state = |s: u32| {
        let mixed = s.wrapping_mul(2_654_435_761) >> 8;
        let (p, reward) = (1 + mixed % 15, f64::from(mixed % 1000) / 64.0 - 3.0);
        let next = (s + 1) % states;
        let branches = match next {
            0 => vec![(0, 16)],
            _ => vec![(next, p), (0, 16 - p)],
        };
        vec![(reward, branches), (0.25, vec![(next, 16)])]
    };
    (0..states).map(state).collect()
}

#[test]
fn averages_are_those_of_exact_policy_iteration() {
    let Some(gpu) = gpu() else { return };
    let model = ring(90);
    let (graph, probabilities, rewards) = arrays(&model);
    let rewards = Rewards {
        choices: Some(&rewards),
        ..Rewards::default()
    };
    for objective in [Objective::Min, Objective::Max] {
        let problem = Problem::new(&graph, &probabilities, rewards, objective).expect("a problem");
        let exact = solve_exactly(&problem, &Options::default()).expect("an answer");
        let options = Options {
            epsilon: 1e-9,
            ..on(gpu)
        };
        let answer = solve(&problem, &[StateId(0)], &options).expect("an answer");
        let value = answer.value(StateId(0));
        assert!(value.width() <= 1e-9, "{value:?}");
        assert!(
            meet(value, Bounds::enclosing(exact.value(StateId(0)))),
            "{value:?}"
        );
        // The device has done all iterations, and the host has only checked the result.
        assert!(answer.gains()[0].iterations > 10);
    }
}

/// The precision of the device is that of the greatest reward, and the host does the rest.
#[test]
fn relative_bounds_are_met() {
    let Some(gpu) = gpu() else { return };
    let mut model = ring(90);
    let choices = model.iter_mut().flatten();
    choices.for_each(|(reward, _)| *reward = reward.abs() * 1e-3);
    model[0][0].0 = 1e3;
    for objective in [Objective::Min, Objective::Max] {
        let options = Options {
            epsilon: 1e-9,
            is_relative: true,
            ..on(gpu)
        };
        let answer = solved(&model, objective, &options).expect("an answer");
        let (graph, probabilities, rewards) = arrays(&model);
        let rewards = Rewards {
            choices: Some(&rewards),
            ..Rewards::default()
        };
        let problem = Problem::new(&graph, &probabilities, rewards, objective).expect("a problem");
        let exact = solve_exactly(&problem, &Options::default()).expect("an answer");
        let value = answer.value(StateId(0));
        assert!(value.width() <= 1e-9 * value.lower, "{value:?}");
        assert!(
            meet(value, Bounds::enclosing(exact.value(StateId(0)))),
            "{value:?}"
        );
    }
}

/// Each part is a component of its own, and needs its own number of iterations.
#[test]
fn components_converge_independently() {
    let Some(gpu) = gpu() else { return };
    let mut model = Model::new();
    for length in [1, 2, 20, 3, 60, 7] {
        let first = model.len() as u32;
        for s in 0..length {
            let reward = f64::from(s == 0) * f64::from(length) * 0.5;
            let branches = match length {
                1 => vec![(first, 16)],
                _ => vec![(first + (s + 1) % length, 8), (first + s, 8)],
            };
            model.push(vec![(reward, branches)]);
        }
    }
    let answer = solved(&model, Objective::Max, &on(gpu)).expect("an answer");
    assert_eq!(answer.gains().len(), 6);
    for mec in answer.gains() {
        assert!(
            meet(
                mec.gain,
                Bounds {
                    lower: 0.5,
                    upper: 0.5
                }
            ),
            "{mec:?}"
        );
    }
    let iterations = |mec: usize| answer.gains()[mec].iterations;
    assert!(iterations(0) < iterations(2) && iterations(2) < iterations(4));
}

#[test]
fn the_host_does_what_the_device_cannot() {
    let Some(gpu) = gpu() else { return };
    // The rewards are too large for units of the requested precision.
    let state = |reward, other| vec![(reward, vec![(other, 8), (1 - other, 8)])];
    let model: Model = vec![state(1e13, 1), state(3e13, 0)];
    let options = Options {
        epsilon: 0.1,
        ..on(gpu)
    };
    let answer = solved(&model, Objective::Max, &options).expect("an answer");
    assert!(meet(
        answer.value(StateId(0)),
        Bounds {
            lower: 2e13,
            upper: 2e13
        }
    ));
    // The row is too long for one invocation.
    let mut wide: Vec<_> = (0..5000)
        .map(|i| (f64::from(i % 7), vec![(0, 16)]))
        .collect();
    wide.push((2.0, vec![(1, 8), (0, 8)]));
    let model: Model = vec![wide, vec![(0.0, vec![(0, 16)])]];
    let answer = solved(&model, Objective::Max, &on(gpu)).expect("an answer");
    assert!(meet(
        answer.value(StateId(1)),
        Bounds {
            lower: 6.0,
            upper: 6.0
        }
    ));
}

#[test]
fn a_device_stops_after_as_many_iterations_as_the_cpu() {
    let Some(gpu) = gpu() else { return };
    let options = Options {
        max_iterations: 3,
        ..on(gpu)
    };
    let error =
        solved(&ring(50), Objective::Max, &options).expect_err("the precision is not reached");
    assert!(
        matches!(
            error,
            Error::NotReached {
                of: Subject::Component(StateId(0)),
                ..
            }
        ),
        "{error}"
    );
}
