//! Bounds with a relative precision.

use super::{Model, arrays, model, objectives};
use long_run::{
    Answer, BigRational, Bounds, Error, Objective, Options, Problem, Rewards, solve, solve_exactly,
};
use mdp_graph::StateId;
use num_traits::{Signed as _, Zero as _};
use proptest::prelude::*;

/// Solves a model whose rewards are multiplied by `unit`, a power of two, for all of its states:
/// with a relative precision, and exactly.
fn solved(
    model: &Model,
    unit: f64,
    objective: Objective,
    epsilon: f64,
) -> (Result<Answer, Error>, Vec<BigRational>) {
    let (graph, probabilities, rewards) = arrays(model);
    let scaled: Vec<f64> = rewards.iter().map(|reward| reward * unit).collect();
    let problem = |rewards| {
        let rewards = Rewards {
            choices: Some(rewards),
            ..Rewards::default()
        };
        Problem::new(&graph, &probabilities, rewards, objective).expect("a problem")
    };
    let all: Vec<StateId> = graph.states().collect();
    let options = Options {
        epsilon,
        is_relative: true,
        max_iterations: 20_000,
        ..Options::default()
    };
    let answer = solve(&problem(&scaled), &all, &options);
    // The decimals that stand for scaled rewards would be other numbers.
    let exact = solve_exactly(&problem(&rewards), &Options::default()).expect("an answer");
    let values = all.iter().map(|&state| exact.value(state));
    let exact = values
        .chain(exact.gains())
        .map(|value| value * rational(unit));
    (answer, exact.collect())
}

fn rational(number: f64) -> BigRational {
    BigRational::from_float(number).expect("finite")
}

/// Checks that bounds contain a number, and are as close to each other as the number is to 0, times
/// `epsilon`.
fn check(bounds: Bounds, exact: &BigRational, epsilon: f64) -> Result<(), TestCaseError> {
    let (lower, upper) = (rational(bounds.lower), rational(bounds.upper));
    prop_assert!(lower <= *exact && *exact <= upper, "{bounds:?} {exact}");
    let distance = (exact.abs() * rational(epsilon)).max(rational(1e-100));
    prop_assert!(upper - lower <= distance, "{bounds:?} {exact}");
    Ok(())
}

/// Returns the bounds on all states, and then those on all components.
fn all_bounds(answer: &Answer, states: usize) -> Vec<Bounds> {
    let values = (0..states as u32).map(|state| answer.value(StateId(state)));
    values
        .chain(answer.gains().iter().map(|of| of.gain))
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// Rewards are powers of two times integers, and probabilities are sixteenths, so that the
    /// exact averages are those of the doubles. Bounds are missing only if one of the averages is
    /// 0, and if what is earned may be paid again.
    #[test]
    fn relative_bounds_contain_the_exact_averages(
        mut model in model(),
        only_earns: bool,
        objective in objectives(),
        unit in prop_oneof![Just(1.0), Just(2f64.powi(-100)), Just(2f64.powi(600))],
        epsilon in prop_oneof![Just(1e-3), Just(1e-6), Just(0.5)],
    ) {
        let choices = model.iter_mut().flatten().filter(|_| only_earns);
        choices.for_each(|(reward, _)| *reward = reward.max(0.0));
        let (answer, exact) = solved(&model, unit, objective, epsilon);
        match answer {
            Ok(answer) => {
                for (bounds, exact) in all_bounds(&answer, model.len()).into_iter().zip(&exact) {
                    check(bounds, exact, epsilon)?;
                }
            }
            Err(error) => {
                let is_zero = exact.iter().any(BigRational::is_zero);
                prop_assert!(is_zero && !only_earns, "{error}");
            }
        }
    }
}

/// From state 0, a run ends in the last state but one if it gets through this many steps, which is
/// rare, and otherwise in the last state. A step may lead back, so that values are found by
/// iteration.
fn rare(steps: u32, rewards: [f64; 2]) -> Model {
    let branches = |step: u32| {
        let before = step.saturating_sub(1);
        vec![(before, 4), (step + 1, 6), (steps + 1, 6)]
    };
    let mut states: Model = (0..steps).map(|step| vec![(0.0, branches(step))]).collect();
    states.push(vec![(rewards[0], vec![(steps, 16)])]);
    states.push(vec![(rewards[1], vec![(steps + 1, 16)])]);
    states
}

#[test]
fn averages_close_to_zero_are_bounded_closely() {
    use Objective::{Max, Min};
    for (steps, rewards, objective) in [
        (60, [1.0, 0.0], Max),
        (60, [-3.0, 0.0], Min),
        (16, [1.0, 0.0], Min),
        (16, [-3.0, 0.0], Max),
        (16, [7.0, 2f64.powi(-10)], Max),
        (16, [-7.0, -2f64.powi(-10)], Max),
        (16, [7.0, -2f64.powi(-10)], Min),
    ] {
        let (answer, exact) = solved(&rare(steps, rewards), 1.0, objective, 1e-6);
        let answer = answer.expect("an answer");
        let bounds = answer.value(StateId(0));
        let least = bounds.lower.abs().min(bounds.upper.abs());
        assert!(bounds.width() <= 1e-6 * least, "{bounds:?}");
        check(bounds, &exact[0], 1e-6).expect("bounds that contain it");
    }
}

/// What two components earn nearly cancels out, so that their gains have to be known better than
/// with the same relative precision.
#[test]
fn gains_are_narrowed_for_a_value_that_is_much_smaller() {
    let component = |first: u32, rewards: [f64; 2]| {
        let to = |state: u32, p| vec![(first + state, 16 - p), (first + 1 - state, p)];
        [vec![(rewards[0], to(0, 3))], vec![(rewards[1], to(1, 5))]]
    };
    let mut model: Model = vec![vec![(0.0, vec![(1, 8), (3, 8)])]];
    model.extend(component(1, [1000.0, 0.0]));
    model.extend(component(3, [-1000.0, 1.0]));
    for objective in [Objective::Max, Objective::Min] {
        let (answer, exact) = solved(&model, 1.0, objective, 1e-3);
        let value = answer.expect("an answer").value(StateId(0));
        assert_eq!(exact[0], rational(0.1875));
        check(value, &exact[0], 1e-3).expect("bounds that contain it");
    }
}

/// Where no component with another gain than 0 is reached, the value is exactly 0, although the
/// states before are left slowly.
#[test]
fn an_average_of_zero_is_found_where_nothing_is_earned() {
    let model: Model = vec![
        vec![(0.0, vec![(1, 8), (2, 8)])],
        vec![(0.0, vec![(0, 15), (2, 1)])],
        vec![(0.0, vec![(2, 16)])],
        vec![(5.0, vec![(3, 16)])],
        vec![(0.0, vec![(0, 8), (3, 8)])],
    ];
    zeros_are_found(&model, Objective::Max, [0, 1, 2], 4);
}

/// From states 0 and 1, a strategy avoids state 2, which earns, but not from state 4.
#[test]
fn an_average_of_zero_is_found_where_a_strategy_earns_nothing() {
    let model: Model = vec![
        vec![(0.0, vec![(3, 8), (1, 8)]), (0.0, vec![(2, 8), (1, 8)])],
        vec![(0.0, vec![(0, 10), (2, 6)]), (0.0, vec![(0, 11), (1, 5)])],
        vec![(5.0, vec![(2, 16)])],
        vec![(0.0, vec![(3, 16)])],
        vec![(0.0, vec![(0, 8), (2, 8)]), (3.0, vec![(4, 16)])],
    ];
    zeros_are_found(&model, Objective::Min, [0, 1, 3], 4);
}

/// Checks that the averages of some states are 0, and that that of another one is not.
fn zeros_are_found(model: &Model, objective: Objective, zeros: [u32; 3], other: u32) {
    let (answer, exact) = solved(model, 1.0, objective, 1e-6);
    let answer = answer.expect("an answer");
    for state in zeros {
        let Bounds { lower, upper } = answer.value(StateId(state));
        assert_eq!((lower, upper), (0.0, 0.0));
        assert!(exact[state as usize].is_zero());
    }
    let exact = &exact[other as usize];
    assert!(!exact.is_zero());
    check(answer.value(StateId(other)), exact, 1e-6).expect("bounds that contain it");
}

/// In a component, what is earned and paid has the average 0, which rounding hides. So it is found
/// without rounding, even if few iterations have shown that more do not help.
#[test]
fn an_average_of_zero_that_is_only_approached_is_found_exactly() {
    let slow: Model = vec![
        vec![(1.0, vec![(0, 13), (1, 3)])],
        vec![(-4.0, vec![(0, 7), (1, 4), (2, 5)])],
        vec![(3.0, vec![(1, 9), (2, 7)])],
    ];
    let fast: Model = [3.0, -13.0]
        .map(|reward| vec![(reward, vec![(0, 13), (1, 3)])])
        .to_vec();
    for model in [slow, fast] {
        let (answer, exact) = solved(&model, 1.0, Objective::Max, 1e-6);
        assert!(exact.iter().all(BigRational::is_zero));
        let answer = answer.expect("an answer");
        assert!(answer.has_exact_parts());
        let Bounds { lower, upper } = answer.value(StateId(0));
        assert_eq!((lower, upper), (0.0, 0.0));
    }
}
