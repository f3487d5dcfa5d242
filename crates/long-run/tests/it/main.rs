//! Tests of the crate's interface: bounds on the averages of all strategies of small models, and
//! errors.

mod chains;
mod cycles;
#[cfg(feature = "gpu")]
mod gpu;
mod relative;
mod shapes;
mod slow;
mod stiff;
mod undecided;

use long_run::{
    Bounds, Error, MAX_STATES, Objective, Options, Problem, ProblemError, Rewards, Subject, solve,
    solve_exactly,
};
use mdp_graph::{MdpGraph, StateId};
use num_traits::ToPrimitive as _;
use proptest::prelude::*;

/// A model: the choices of each state, each with a reward and its branches, whose probabilities are
/// in sixteenths.
type Model = Vec<Vec<(f64, Vec<(u32, u32)>)>>;

/// Returns small models. The probabilities of a choice are sixteenths, which are exact.
fn model() -> impl Strategy<Value = Model> {
    (1..5u32).prop_flat_map(|states| {
        let branches = prop_oneof![
            (0..states).prop_map(|target| vec![(target, 16)]),
            (0..states, 0..states, 1..16u32).prop_map(|(a, b, p)| match a == b {
                true => vec![(a, 16)],
                false => vec![(a, p), (b, 16 - p)],
            }),
        ];
        let reward = (-8..=8i32).prop_map(f64::from);
        let choices = prop::collection::vec((reward, branches), 1..3);
        prop::collection::vec(choices, states as usize)
    })
}

/// Returns the least or the greatest average.
fn objectives() -> impl Strategy<Value = Objective> {
    prop::sample::select(vec![Objective::Min, Objective::Max])
}

/// Returns the arrays of a model.
fn arrays(model: &Model) -> (MdpGraph, Vec<f64>, Vec<f64>) {
    let (mut states, mut choices) = (vec![0], vec![0]);
    let (mut targets, mut probabilities, mut rewards) = (Vec::new(), Vec::new(), Vec::new());
    for row in model {
        for (reward, branches) in row {
            rewards.push(*reward);
            targets.extend(branches.iter().map(|&(target, _)| StateId(target)));
            probabilities.extend(branches.iter().map(|&(_, p)| f64::from(p) / 16.0));
            choices.push(targets.len() as u32);
        }
        states.push(rewards.len() as u32);
    }
    let graph = MdpGraph::from_parts(states, choices, targets).expect("a model");
    (graph, probabilities, rewards)
}

/// Returns the average of each state under one strategy. The chain is first changed such that it
/// stays with probability ½ in each step: it then has the same averages and no period. Its matrix
/// is squared until its powers converge.
fn averages(model: &Model, strategy: &[usize]) -> Vec<f64> {
    let n = model.len();
    let mut matrix = vec![vec![0.0; n]; n];
    for (state, row) in model.iter().enumerate() {
        matrix[state][state] += 0.5;
        for &(target, p) in &row[strategy[state]].1 {
            matrix[state][target as usize] += f64::from(p) / 32.0;
        }
    }
    let product = |a: &Vec<Vec<f64>>| -> Vec<Vec<f64>> {
        let cell = |i: usize, j: usize| (0..n).map(|k| a[i][k] * a[k][j]).sum();
        (0..n)
            .map(|i| (0..n).map(|j| cell(i, j)).collect())
            .collect()
    };
    for _ in 0..40 {
        matrix = product(&matrix);
        // Squaring keeps the sums at 1 except for rounding errors, which would grow.
        for row in &mut matrix {
            let sum: f64 = row.iter().sum();
            row.iter_mut().for_each(|p| *p /= sum);
        }
    }
    let reward = |state: usize| model[state][strategy[state]].0;
    let earned = |row: &Vec<f64>| (0..n).map(|state| row[state] * reward(state)).sum();
    matrix.iter().map(earned).collect()
}

/// Returns the best average of each state, by trying all strategies that always make the same
/// choice in a state. One of them is optimal.
fn best(model: &Model, objective: Objective) -> Vec<f64> {
    let count: usize = model.iter().map(Vec::len).product();
    let strategy = |mut number: usize| -> Vec<usize> {
        let digit = |row: &Vec<_>| {
            let digit = number % row.len();
            number /= row.len();
            digit
        };
        model.iter().map(digit).collect()
    };
    let all = (0..count).map(|number| averages(model, &strategy(number)));
    let better = |a: Vec<f64>, b: Vec<f64>| -> Vec<f64> {
        let pick = |(a, b): (&f64, &f64)| {
            if objective == Objective::Max {
                a.max(*b)
            } else {
                a.min(*b)
            }
        };
        a.iter().zip(&b).map(pick).collect()
    };
    all.reduce(better).expect("a strategy")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn bounds_contain_the_best_of_all_strategies(model in model(), objective in objectives()) {
        let (graph, probabilities, rewards) = arrays(&model);
        let rewards = Rewards { choices: Some(&rewards), ..Rewards::default() };
        let problem = Problem::new(&graph, &probabilities, rewards, objective).expect("a problem");
        let states: Vec<StateId> = graph.states().collect();
        let answer = solve(&problem, &states, &Options::default()).expect("an answer");
        for (state, expected) in best(&model, objective).into_iter().enumerate() {
            let Bounds { lower, upper } = answer.value(StateId(state as u32));
            prop_assert!(upper - lower <= 1e-6);
            prop_assert!(
                lower - 1e-7 <= expected && expected <= upper + 1e-7,
                "state {}: {} is not in {}..{}", state, expected, lower, upper
            );
        }
    }
}

#[test]
fn periodic_components_converge() {
    // In a cycle of 50 states, the last state earns 1.
    let n = 50;
    let model: Model = (0..n)
        .map(|s| vec![(f64::from(s + 1 == n), vec![((s + 1) % n, 16)])])
        .collect();
    let (graph, probabilities, rewards) = arrays(&model);
    let rewards = Rewards {
        choices: Some(&rewards),
        ..Rewards::default()
    };
    let problem = Problem::new(&graph, &probabilities, rewards, Objective::Min).expect("a problem");
    let answer = solve(&problem, &[StateId(0)], &Options::default()).expect("an answer");
    let Bounds { lower, upper } = answer.value(StateId(7));
    assert!(lower <= 0.02 && 0.02 <= upper && upper - lower <= 1e-6);
}

#[test]
fn invalid_problems_are_refused() {
    let graph = MdpGraph::from_parts(vec![0, 1, 1], vec![0, 1], vec![StateId(1)]).expect("a graph");
    let refused = |probabilities: &[f64], states: &[f64]| {
        let rewards = Rewards {
            states: Some(states),
            ..Rewards::default()
        };
        let problem = Problem::new(&graph, probabilities, rewards, Objective::Max);
        problem.expect_err("it is refused").to_string()
    };
    insta::assert_snapshot!(refused(&[1.0], &[0.0, 1.0]), @"state 1 has no choice, and so no long run");
    insta::assert_snapshot!(refused(&[1.0, 1.0], &[0.0, 1.0]), @"there are 2 probabilities, but the model needs 1");
    insta::assert_snapshot!(refused(&[0.0], &[0.0, 1.0]), @"the probability 0 of branch 0 is not a number above 0");
    insta::assert_snapshot!(refused(&[1.0], &[0.0, f64::NAN]), @"the reward NaN is not finite");
    let error =
        Problem::new(&graph, &[], Rewards::default(), Objective::Min).expect_err("it is refused");
    assert!(matches!(error, ProblemError::WrongLength { found: 0, .. }));
}

#[test]
fn an_error_after_too_many_iterations_has_the_bounds_so_far() {
    let model: Model = vec![
        vec![(0.0, vec![(1, 12), (0, 4)])],
        vec![(1.0, vec![(0, 16)])],
    ];
    let (graph, probabilities, rewards) = arrays(&model);
    let rewards = Rewards {
        choices: Some(&rewards),
        ..Rewards::default()
    };
    let problem = Problem::new(&graph, &probabilities, rewards, Objective::Max).expect("a problem");
    let options = Options {
        max_iterations: 2,
        ..Options::default()
    };
    let error = solve(&problem, &[StateId(0)], &options).expect_err("the precision is not reached");
    assert!(matches!(
        error,
        Error::NotReached {
            of: Subject::Component(StateId(0)),
            iterations: 2,
            ..
        }
    ));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn exact_averages_are_the_best_of_all_strategies(model in model(), objective in objectives()) {
        let (graph, probabilities, rewards) = arrays(&model);
        let rewards = Rewards { choices: Some(&rewards), ..Rewards::default() };
        let problem = Problem::new(&graph, &probabilities, rewards, objective).expect("a problem");
        let states: Vec<StateId> = graph.states().collect();
        let answer = solve_exactly(&problem, &Options::default()).expect("an answer");
        let bounds = solve(&problem, &states, &Options::default()).expect("an answer");
        for (state, expected) in best(&model, objective).into_iter().enumerate() {
            let state = StateId(state as u32);
            let value = answer.value(state).to_f64().expect("a double");
            prop_assert!((value - expected).abs() <= 1e-7, "state {}: {} {}", state, value, expected);
            let Bounds { lower, upper } = bounds.value(state);
            prop_assert!(lower <= value && value <= upper, "state {}: {}", state, value);
        }
    }
}

#[test]
fn decimals_and_their_sums_are_exact() {
    // State 0 leads to each of three states with a probability of a third, written as a double, and
    // all of them lead back.
    let model = |p: f64| {
        let targets = [1, 2, 3, 0, 0, 0].map(StateId).to_vec();
        let graph = MdpGraph::from_parts(vec![0, 1, 2, 3, 4], vec![0, 3, 4, 5, 6], targets);
        (graph.expect("a model"), [p, p, p, 1.0, 1.0, 1.0])
    };
    let (graph, probabilities) = model(1.0 / 3.0);
    let earned = [0.0, 0.1, 0.2, 0.4];
    let rewards = Rewards {
        states: Some(&earned),
        ..Rewards::default()
    };
    let problem = Problem::new(&graph, &probabilities, rewards, Objective::Min).expect("a problem");
    let answer = solve_exactly(&problem, &Options::default()).expect("an answer");
    // In half of the steps the state is 1, 2 or 3, where 7/30 is earned on average.
    assert_eq!(answer.value(StateId(2)).to_string(), "7/60");
    assert_eq!(answer.gains().len(), 1);
    assert_eq!(answer.policies(), 2);
}

#[test]
fn a_model_that_is_too_large_is_refused() {
    let n = MAX_STATES as u32 + 1;
    let targets = (0..n).map(StateId).collect();
    let graph = MdpGraph::from_parts((0..=n).collect(), (0..=n).collect(), targets);
    let graph = graph.expect("a model");
    let probabilities = vec![1.0; n as usize];
    let problem = Problem::new(&graph, &probabilities, Rewards::default(), Objective::Max);
    let refused = solve_exactly(&problem.expect("a problem"), &Options::default());
    let refused = refused.expect_err("the model is too large");
    insta::assert_snapshot!(refused, @"the model has 4097 states, and exact averages are computed for at most 4096");
}

/// Returns models with branches of any probability, as fractions of the sum of those of their
/// choice.
fn rough_model() -> impl Strategy<Value = Vec<Vec<Vec<(u32, f64)>>>> {
    (2..9u32).prop_flat_map(|states| {
        let p = prop_oneof![0.01..1.0f64, Just(1e-200), Just(1e-12)];
        let choice = prop::collection::btree_map(0..states, p, 1..4);
        let choice = choice.prop_map(|branches| {
            let sum: f64 = branches.values().sum();
            let shares = branches.into_iter().map(|(target, p)| (target, p / sum));
            shares.filter(|&(_, p)| p > 0.0).collect()
        });
        prop::collection::vec(prop::collection::vec(choice, 1..3), states as usize)
    })
}

/// Values of states that are computed from bounds, which are rounded for each choice, contain the
/// exact ones.
#[test]
fn bounds_contain_the_exact_values() {
    // The bounds of a component that is left once in 1e200 steps take too long.
    let models = (rough_model(), objectives(), 0..3usize);
    undecided::holds(200, &models, |(model, objective, unit)| {
        let unit = [1.0, 1e-180, 1e180][unit];
        bounds_contain_exact_values_of(&model, objective, unit)
    });
}

/// Compares bounds with the exact values. Returns whether there are both.
fn bounds_contain_exact_values_of(
    model: &[Vec<Vec<(u32, f64)>>],
    objective: Objective,
    unit: f64,
) -> Result<bool, TestCaseError> {
    let (mut states, mut choices) = (vec![0], vec![0]);
    let (mut targets, mut probabilities) = (Vec::new(), Vec::new());
    for choice in model.iter().flatten() {
        targets.extend(choice.iter().map(|&(target, _)| StateId(target)));
        probabilities.extend(choice.iter().map(|&(_, p)| p));
        choices.push(targets.len() as u32);
    }
    let mut end = 0;
    states.extend(model.iter().map(|row| {
        end += row.len() as u32;
        end
    }));
    let graph = MdpGraph::from_parts(states, choices, targets).expect("a model");
    let earned: Vec<f64> = (0..model.len())
        .map(|state| unit * (state % 3) as f64)
        .collect();
    let rewards = Rewards {
        states: Some(&earned),
        ..Rewards::default()
    };
    let problem = Problem::new(&graph, &probabilities, rewards, objective).expect("a problem");
    let all: Vec<StateId> = graph.states().collect();
    let options = Options {
        epsilon: 1e-6 * unit,
        max_iterations: 5000,
        ..Options::default()
    };
    let exact = solve_exactly(&problem, &Options::default());
    let (Ok(exact), Ok(bounds)) = (exact, solve(&problem, &all, &options)) else {
        return Ok(false);
    };
    for state in graph.states() {
        let Bounds { lower, upper } = bounds.value(state);
        // Exact averages are those of the decimals that the doubles represent.
        let (value, near) = (exact.value(state).to_f64().expect("a double"), 1e-13 * unit);
        prop_assert!(
            lower - near <= value && value <= upper + near,
            "state {}",
            state
        );
    }
    Ok(true)
}

/// Returns models of layers. Their states lead to states of their own layer and of the next one.
fn layers() -> impl Strategy<Value = Model> {
    let branch = || (0..3u32, 0..2u32);
    let choice = (branch(), branch(), 1..16u32, -8..=8i32);
    let rows = prop::collection::vec(prop::collection::vec(choice, 1..4), 3..300);
    rows.prop_map(|rows| {
        let states = rows.len() as u32;
        let model = (0..).zip(rows).map(|(state, row): (u32, Vec<_>)| {
            let target = |(place, on): (u32, u32)| (state / 3 * 3 + 3 * on + place).min(states - 1);
            let choice = |(a, b, p, reward)| {
                let (a, b) = (target(a), target(b));
                let branches = match a == b {
                    true => vec![(a, 16)],
                    false => vec![(a, p), (b, 16 - p)],
                };
                (f64::from(reward), branches)
            };
            row.into_iter().map(choice).collect()
        });
        model.collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    /// Components are solved side by side, but the results do not depend on that.
    #[test]
    fn answers_do_not_depend_on_threads(model in layers()) {
        let (graph, probabilities, rewards) = arrays(&model);
        let rewards = Rewards { choices: Some(&rewards), ..Rewards::default() };
        let problem = Problem::new(&graph, &probabilities, rewards, Objective::Max).expect("a problem");
        let states: Vec<StateId> = graph.states().collect();
        let values = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            let solve = || solve(&problem, &states, &Options::default()).expect("an answer");
            let answer = pool.expect("threads start").install(solve);
            let values: Vec<Bounds> = states.iter().map(|&state| answer.value(state)).collect();
            (values, answer.iterations())
        };
        let alone = values(1);
        prop_assert_eq!(&alone, &values(2));
        prop_assert_eq!(&alone, &values(5));
    }
}
