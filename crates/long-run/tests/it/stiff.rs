//! Tests of stiff models, whose probabilities differ by many orders of magnitude. Where doubles do
//! not bring bounds close enough, parts of these models are solved without rounding.

use crate::slow::{Slow, arrays};
use crate::{objectives, undecided};
use long_run::{
    Answer, BigRational, Bounds, Error, Fractions, Objective, Options, Problem, Rewards, solve,
    solve_exactly,
};
use mdp_graph::StateId;
use proptest::prelude::*;
use std::collections::HashMap;

fn rational(number: f64) -> BigRational {
    BigRational::from_float(number).expect("finite")
}

/// Returns stiff models. Each choice leads to other states with probabilities of 10⁻¹ to 10⁻¹⁵. It
/// otherwise stays or, in `blocks`, mostly leads to one of four neighbours. So many tenths of
/// the choices also lead to `traps`: two more components. Bounds on
/// their gains do not coincide.
fn stiff(most_choices: usize, blocks: bool, traps: u32) -> impl Strategy<Value = Slow> {
    (3..25u32).prop_flat_map(move |states| {
        let rare = prop::collection::vec((0..states, 1..16i32), 1..4);
        let trap = (0..10u32, 0..2u32, 12..16i32);
        let choice = ((-8..=8i32).prop_map(f64::from), 0..4u32, rare, trap);
        let row = prop::collection::vec(choice, 1..=most_choices);
        let model = prop::collection::vec(row, states as usize);
        model.prop_map(move |model| {
            let choice =
                |state: u32, (reward, near, rare, trap): (f64, u32, Vec<_>, (u32, u32, i32))| {
                    let near = blocks.then_some(((state / 4 * 4 + near) % states, 0.5));
                    let (tenth, to, exponent) = trap;
                    let trap = (tenth < traps).then_some((states + 2 * to, exponent));
                    let rare = rare.into_iter().chain(trap);
                    let rare = rare.map(|(to, exponent): (u32, i32)| (to, 10f64.powi(-exponent)));
                    let others = near.into_iter().chain(rare);
                    (reward, others.filter(|&(to, _)| to != state).collect())
                };
            let row =
                |(state, row): (u32, Vec<_>)| row.into_iter().map(|of| choice(state, of)).collect();
            let trap = |first: u32, reward: f64| {
                let step = |to: u32, p: f64| vec![(reward * p, vec![(to, p)])];
                [step(first + 1, 0.3), step(first, 0.7)]
            };
            let ends = [trap(states, -3.0), trap(states + 2, 5.0)].concat();
            let ends = ends.into_iter().filter(|_| traps > 0);
            (0..).zip(model).map(row).chain(ends).collect()
        })
    })
}

/// Solves a model for all of its states. Its branches have rewards, too, so that rewards of choices
/// are rounded. Also returns the exact averages of its doubles.
fn solved(
    model: &Slow,
    objective: Objective,
    options: &Options<'_>,
) -> (Result<Answer, Error>, Vec<BigRational>) {
    let (graph, probabilities, choices) = arrays(model);
    let branches: Vec<f64> = (0..probabilities.len()).map(|b| (b % 3) as f64).collect();
    let rewards = Rewards {
        choices: Some(&choices),
        branches: Some(&branches),
        ..Rewards::default()
    };
    let problem = Problem::new(&graph, &probabilities, rewards, objective).expect("a problem");
    let all: Vec<StateId> = graph.states().collect();
    let answer = solve(&problem, &all, options);
    let doubles = probabilities.iter().copied().map(rational).enumerate();
    let doubles: HashMap<usize, BigRational> = doubles.collect();
    let problem = problem.with_fractions(Fractions {
        probabilities: Some(&doubles),
        ..Fractions::default()
    });
    let exact = solve_exactly(&problem, &Options::default()).expect("an answer");
    (
        answer,
        all.iter().map(|&s| exact.value(s).clone()).collect(),
    )
}

/// Checks the bounds that default options bring. Returns whether some of them are exact.
fn check(model: &Slow, objective: Objective) -> Result<bool, TestCaseError> {
    let (answer, exact) = solved(model, objective, &Options::default());
    let answer = answer.map_err(|error| TestCaseError::fail(error.to_string()))?;
    for (state, exact) in (0..).map(StateId).zip(&exact) {
        let Bounds { lower, upper } = answer.value(state);
        prop_assert!(upper - lower <= 1e-6, "state {state}: {lower} to {upper}");
        prop_assert!(
            rational(lower) <= *exact && *exact <= rational(upper),
            "state {state}: {exact} is not in {lower} to {upper}"
        );
    }
    let few = Options {
        max_iterations: 1000,
        ..Options::default()
    };
    let (early, _) = solved(model, objective, &few);
    prop_assert!(!early.is_ok_and(|answer| answer.has_exact_parts()));
    Ok(answer.has_exact_parts())
}

#[test]
fn components_that_are_stiff_are_bounded() {
    let models = (stiff(3, false, 0), objectives());
    undecided::holds(60, &models, |(model, objective)| check(&model, objective));
}

/// Two modes last for very long, and one of them is reached through a path.
fn two_modes(path: u32) -> Slow {
    let mode = |to: u32, reward: [f64; 2], exponents: [i32; 2]| {
        let choice = |i: usize| (reward[i], vec![(to, 10f64.powi(-exponents[i]))]);
        vec![choice(0), choice(1)]
    };
    let modes = [mode(1, [7.0, 4.0], [14, 12]), mode(2, [2.0, 2.0], [11, 10])];
    let on = |step: u32| vec![(0.0, vec![((step + 3) % (path + 2), 1.0)])];
    modes.into_iter().chain((0..path).map(on)).collect()
}

#[test]
fn large_components_are_not_solved_exactly() {
    let options = Options {
        max_iterations: 5000,
        ..Options::default()
    };
    let (answer, _) = solved(&two_modes(100), Objective::Max, &options);
    assert!(answer.expect("an answer").has_exact_parts());
    let (answer, _) = solved(&two_modes(300), Objective::Max, &options);
    let error = answer.expect_err("bounds are not close").to_string();
    insta::assert_snapshot!(error, @"after 5,000 iterations the average of the component of state 0 is known to lie between 6.999500049977023 and 6.9995269775390625, which is not within 5e-7");
}

/// Every choice may end in a trap, so that no other component is left.
#[test]
fn values_that_are_stiff_are_bounded() {
    let models = (stiff(3, true, 10), objectives());
    undecided::holds(60, &models, |(model, objective)| check(&model, objective));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn stiff_models_are_bounded(
        model in any::<bool>().prop_flat_map(|blocks| stiff(3, blocks, 2)),
        objective in objectives(),
    ) {
        check(&model, objective)?;
    }

    #[test]
    fn stiff_chains_are_bounded(
        model in any::<bool>().prop_flat_map(|blocks| stiff(1, blocks, 2)),
        objective in objectives(),
    ) {
        check(&model, objective)?;
    }
}
