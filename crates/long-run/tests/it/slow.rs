//! Tests with components whose values converge slowly. They are accelerated, and the bounds hold
//! nevertheless.

use crate::{objectives, undecided};
use long_run::{Answer, Bounds, Error, Objective, Options, Problem, Rewards, solve, solve_exactly};
use mdp_graph::{MdpGraph, StateId};
use num_traits::ToPrimitive as _;
use proptest::prelude::*;

/// The choices of each state. Each has a reward, and other states with their probabilities; with
/// the remaining probability, it stays in its state.
pub(crate) type Slow = Vec<Vec<(f64, Vec<(u32, f64)>)>>;

pub(crate) fn arrays(model: &Slow) -> (MdpGraph, Vec<f64>, Vec<f64>) {
    let (mut states, mut choices) = (vec![0], vec![0]);
    let (mut targets, mut probabilities, mut rewards) = (Vec::new(), Vec::new(), Vec::new());
    for (state, row) in (0..).zip(model) {
        for (reward, others) in row {
            let leaves: f64 = others.iter().map(|(_, p)| p).sum();
            let stays = Some((state, 1.0 - leaves)).filter(|(_, p)| *p > 0.0);
            for (target, p) in stays.iter().chain(others) {
                targets.push(StateId(*target));
                probabilities.push(*p);
            }
            rewards.push(*reward);
            choices.push(targets.len() as u32);
        }
        states.push(rewards.len() as u32);
    }
    let graph = MdpGraph::from_parts(states, choices, targets).expect("a model");
    (graph, probabilities, rewards)
}

fn solved(model: &Slow, objective: Objective, max_iterations: u64) -> (Answer, Vec<f64>) {
    let (answer, expected) = tried(model, objective, max_iterations);
    (answer.expect("bounds that are close"), expected)
}

/// Returns the bounds, and the exact averages.
fn tried(
    model: &Slow,
    objective: Objective,
    max_iterations: u64,
) -> (Result<Answer, Error>, Vec<f64>) {
    let (graph, probabilities, rewards) = arrays(model);
    let rewards = Rewards {
        choices: Some(&rewards),
        ..Rewards::default()
    };
    let problem = Problem::new(&graph, &probabilities, rewards, objective).expect("a problem");
    let options = Options {
        max_iterations,
        ..Options::default()
    };
    let states: Vec<StateId> = graph.states().collect();
    let answer = solve(&problem, &states, &options);
    let exact = solve_exactly(&problem, &options).expect("an answer");
    let value = |&state: &StateId| exact.value(state).to_f64().expect("a double");
    (answer, states.iter().map(value).collect())
}

fn check(answer: &Answer, expected: &[f64]) {
    for (state, expected) in (0..).map(StateId).zip(expected) {
        let Bounds { lower, upper } = answer.value(state);
        assert!(upper - lower <= 1e-6, "state {state}: {lower} to {upper}");
        assert!(
            lower <= *expected && *expected <= upper,
            "state {state}: {expected} is not in {lower} to {upper}"
        );
    }
}

/// In a walk along a line, one end has a reward, and so does a choice in the middle that waits.
/// Plain value iteration takes 57,377 iterations.
#[test]
fn long_walks_take_few_iterations() {
    let length = 100;
    let state = |state: u32| {
        let others = [state.checked_sub(1), Some(state + 1)];
        let others = others.into_iter().flatten().filter(|&other| other < length);
        let on = others.map(|other| (other, 0.25)).collect();
        match state {
            0 => vec![(3.0, on)],
            50 => vec![(0.0, on), (0.25, vec![(49, 0.125)])],
            _ => vec![(0.0, on)],
        }
    };
    let model: Slow = (0..length).map(state).collect();
    let (answer, expected) = solved(&model, Objective::Max, 12_000);
    check(&answer, &expected);
}

/// Both states are rarely left. Plain value iteration takes 667,938 iterations, and 427,481 for the
/// least average.
#[test]
fn rare_steps_take_few_iterations() {
    let model: Slow = vec![
        vec![(1.0, vec![(1, 1e-5)]), (0.5, vec![(1, 3e-6)])],
        vec![(3.0, vec![(0, 4e-5)]), (2.5, vec![(0, 2e-5)])],
    ];
    for objective in [Objective::Max, Objective::Min] {
        let (answer, expected) = solved(&model, objective, 3000);
        check(&answer, &expected);
    }
}

/// A gambler plays until he has nothing or a hundred. What he has is his chance to win in percent.
/// At fifty he may also wait, which earns nothing. Plain value iteration takes 16,705 sweeps.
#[test]
fn gamblers_ruin_takes_few_sweeps() {
    let all = 100;
    let state = |state: u32| match state {
        0 => vec![(0.0, vec![])],
        state if state == all => vec![(1.0, vec![])],
        50 => vec![(0.0, vec![(49, 0.25), (51, 0.25)]), (0.0, vec![])],
        _ => vec![(0.0, vec![(state - 1, 0.5), (state + 1, 0.5)])],
    };
    let model: Slow = (0..=all).map(state).collect();
    for objective in [Objective::Max, Objective::Min] {
        let (answer, expected) = solved(&model, objective, 3000);
        let chances: Vec<f64> = (0..=all).map(|state| f64::from(state) / 100.0).collect();
        assert_eq!(expected == chances, objective == Objective::Max);
        check(&answer, &expected);
    }
}

/// The gambler may also choose to wait, and to lose everything after about ten million steps. This
/// choice is never optimal. If it counted for the longest time until the game ends, bounds would
/// take 1,000,000 sweeps and more.
#[test]
fn slow_choices_that_are_not_optimal_take_few_sweeps() {
    let all = 100;
    let state = |state: u32| match state {
        0 => vec![(0.0, vec![])],
        state if state == all => vec![(1.0, vec![])],
        _ => vec![
            (0.0, vec![(state - 1, 0.5), (state + 1, 0.5)]),
            (0.0, vec![(0, 1e-7)]),
        ],
    };
    let model: Slow = (0..=all).map(state).collect();
    let (answer, expected) = solved(&model, Objective::Max, 5000);
    let chances: Vec<f64> = (0..=all).map(|state| f64::from(state) / 100.0).collect();
    assert_eq!(expected, chances);
    check(&answer, &expected);
}

/// Returns models of up to five states. Each choice leads to another of these states and, if
/// `traps`, perhaps to one of two more states that cannot be left. The probabilities are 0.25, 0.02
/// or `slowest`; otherwise the choice stays in its state.
fn slow(traps: bool, slowest: f64) -> impl Strategy<Value = Slow> {
    (2..6u32).prop_flat_map(move |states| {
        let p = move || prop_oneof![Just(0.25), Just(0.02), Just(slowest)];
        let trap = prop::option::of((0..2u32, p()));
        let choice = ((-8..=8i32).prop_map(f64::from), (1..states, p()), trap);
        let row = prop::collection::vec(choice, 1..4);
        let model = prop::collection::vec(row, states as usize);
        model.prop_map(move |model| {
            let choice = |state, (reward, (on, p), trap): (f64, (u32, f64), Option<(u32, f64)>)| {
                let trap = trap.filter(|_| traps).map(|(trap, p)| (states + trap, p));
                let others = [((state + on) % states, p)].into_iter().chain(trap);
                (reward, others.collect())
            };
            let row =
                |(state, row): (u32, Vec<_>)| row.into_iter().map(|of| choice(state, of)).collect();
            let traps = [vec![(-3.0, vec![])], vec![(5.0, vec![])]];
            (0..).zip(model).map(row).chain(traps).collect()
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn bounds_of_slow_models_contain_the_exact_ones(
        model in slow(false, 0.003),
        objective in objectives(),
    ) {
        let (answer, expected) = solved(&model, objective, 1_000_000);
        check(&answer, &expected);
    }

    #[test]
    fn bounds_of_slow_values_contain_the_exact_ones(
        model in slow(true, 0.003),
        objective in objectives(),
    ) {
        let (answer, expected) = solved(&model, objective, 1_000_000);
        check(&answer, &expected);
    }
}

/// Some choices are so slow that the sweeps from both sides do not meet. Where an optimal strategy
/// uses them, the bounds may not be close enough, but then there is no answer.
#[test]
fn bounds_hold_where_choices_are_very_slow() {
    let models = (slow(true, 1e-5), objectives());
    undecided::holds(100, &models, |(model, objective)| {
        let (answer, expected) = tried(&model, objective, 10_000);
        match answer {
            Ok(answer) => {
                check(&answer, &expected);
                Ok(true)
            }
            Err(Error::NotReached { .. }) => Ok(false),
            Err(error) => Err(TestCaseError::fail(error.to_string())),
        }
    });
}

/// State 0 is left for good once in many steps, for one of two states with different gains. If it
/// may also wait, it is a component.
#[test]
fn states_that_are_left_rarely_take_few_sweeps() {
    for p in [1e-3, 1e-9, 1e-12, 1e-15, 1e-40] {
        for is_component in [false, true] {
            let mut first = vec![(0.6, vec![(1, p), (2, p)])];
            if is_component {
                first.push((0.1, vec![]));
            }
            let model: Slow = vec![
                first,
                vec![(1.0, vec![])],
                vec![(0.25, vec![])],
                vec![(0.0, vec![(0, 0.5), (3, 0.5)])],
            ];
            let (answer, _) = solved(&model, Objective::Max, 10);
            check(&answer, &[0.625, 1.0, 0.25, 0.625]);
            let (answer, _) = solved(&model, Objective::Min, 10);
            let least = if is_component { 0.1 } else { 0.625 };
            check(&answer, &[least, 1.0, 0.25, least]);
        }
    }
}

/// State 0 leads to state 1 or 2 in equal parts, and otherwise to itself by way of state 3.
#[test]
fn an_error_says_whether_more_iterations_would_help() {
    let model: Slow = vec![
        vec![(0.0, vec![(1, 0.3), (2, 0.3), (3, 0.4)])],
        vec![(1.0, vec![])],
        vec![(0.1, vec![])],
        vec![(0.0, vec![(0, 1.0)])],
    ];
    let (graph, probabilities, rewards) = arrays(&model);
    let rewards = Rewards {
        choices: Some(&rewards),
        ..Rewards::default()
    };
    let problem = Problem::new(&graph, &probabilities, rewards, Objective::Max).expect("a problem");
    let refused = |epsilon, max_iterations| {
        let options = Options {
            epsilon,
            max_iterations,
            ..Options::default()
        };
        let error = solve(&problem, &[StateId(0)], &options).expect_err("bounds are not close");
        error.to_string()
    };
    insta::assert_snapshot!(refused(1e-6, 3), @"after 3 iterations the average from state 0 is known to lie between 0.521199999999998 and 0.5788000000000028, which is not within 0.000001");
    insta::assert_snapshot!(refused(1e-18, 1_000_000), @"after 64 iterations the average from state 0 is known to lie between 0.5499999999999999 and 0.55, which is not within 1e-18, and more iterations do not move these bounds");
}

/// The averages of a walk with many states are fractions of hundreds of digits. By elimination in
/// rational numbers, this took more than a minute.
#[test]
fn exact_averages_of_long_walks_are_found() {
    let length = 1000;
    let state = |state: u32| {
        let before = state.saturating_sub(1);
        let after = (state + 1).min(length - 1);
        let reward = [(0, 1.0), (length - 1, 3.0)];
        let reward = reward.iter().find(|(end, _)| *end == state);
        let reward = reward.map_or(0.0, |(_, reward)| *reward);
        let choice = |p: f64| (reward, vec![(before, p), (after, 1.0 - p)]);
        // The walk drifts to the middle, more or less.
        let back = if state < length / 2 { 120 } else { 131 };
        let back = f64::from(back + state % 5) / 256.0;
        vec![choice(back), choice(back + 0.015625)]
    };
    let model: Slow = (0..length).map(state).collect();
    let (graph, probabilities, rewards) = arrays(&model);
    let rewards = Rewards {
        choices: Some(&rewards),
        ..Rewards::default()
    };
    let problem = Problem::new(&graph, &probabilities, rewards, Objective::Max).expect("a problem");
    let exact = solve_exactly(&problem, &Options::default()).expect("an answer");
    let bounds = solve(&problem, &[StateId(0)], &Options::default()).expect("an answer");
    let (value, bounds) = (exact.value(StateId(0)), bounds.value(StateId(0)));
    assert!(value.to_string().len() > 1000, "{value}");
    let value = value.to_f64().expect("a double");
    assert!(
        bounds.lower <= value && value <= bounds.upper,
        "{value}: {bounds:?}"
    );
}
