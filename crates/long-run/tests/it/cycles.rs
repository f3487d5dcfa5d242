//! Tests of components in which no choice branches. Their gains are cycle means.

use crate::objectives;
use long_run::{Answer, Bounds, Objective, Options, Problem, Rewards, solve, solve_exactly};
use mdp_graph::{MdpGraph, StateId};
use num_traits::ToPrimitive as _;
use proptest::prelude::*;

/// The choices of each state: a reward and a target.
type Paths = Vec<Vec<(f64, u32)>>;

/// Returns the graph, and the rewards of its choices.
fn arrays(model: &Paths) -> (MdpGraph, Vec<f64>) {
    let choices = model.iter().flatten();
    let targets: Vec<StateId> = choices
        .clone()
        .map(|&(_, target)| StateId(target))
        .collect();
    let mut end = 0;
    let ends = model.iter().map(|row| {
        end += row.len() as u32;
        end
    });
    let states = [0].into_iter().chain(ends).collect();
    let branches = (0..=targets.len() as u32).collect();
    let graph = MdpGraph::from_parts(states, branches, targets).expect("a model");
    (graph, choices.map(|&(reward, _)| reward).collect())
}

/// Returns bounds, and the exact averages, for all states.
fn solved(
    model: &Paths,
    of_states: &[f64],
    objective: Objective,
    epsilon: f64,
) -> (Answer, Vec<f64>) {
    let (graph, rewards) = arrays(model);
    let ones = vec![1.0; graph.num_branches()];
    let rewards = Rewards {
        states: Some(of_states),
        choices: Some(&rewards),
        ..Rewards::default()
    };
    let problem = Problem::new(&graph, &ones, rewards, objective).expect("a problem");
    let states: Vec<StateId> = graph.states().collect();
    // Iterations alone need far more.
    let options = Options {
        max_iterations: 2,
        epsilon,
        ..Options::default()
    };
    let answer = solve(&problem, &states, &options).expect("an answer");
    let exact = solve_exactly(&problem, &options).expect("an answer");
    let value = |&state: &StateId| exact.value(state).to_f64().expect("a double");
    (answer, states.iter().map(value).collect())
}

/// Returns a ring, each state of which may also go back to the first one.
fn ring(states: u32, reward: impl Fn(u32) -> f64) -> Paths {
    let state = |s: u32| vec![(reward(s), (s + 1) % states), (0.0, 0)];
    (0..states).map(state).collect()
}

#[test]
fn the_bounds_of_cycle_means_coincide() {
    let model = ring(1000, |s| f64::from(s % 5) / 4.0);
    // The best cycle is that of the states 0 to 4, of which the last two have other rewards.
    let mut of_states = vec![0.25; 1000];
    (of_states[3], of_states[4]) = (3.0, 4.0);
    let best = (0.25 + 0.5 + 0.75 + 3.75 + 4.0) / 5.0;
    let (answer, expected) = solved(&model, &of_states, Objective::Max, 1e-6);
    assert_eq!(expected[7], best);
    let Bounds { lower, upper } = answer.value(StateId(7));
    assert!(lower <= best && best <= upper && upper <= lower.next_up());
    // The least average is that of waiting in state 0, which is a double.
    let (answer, expected) = solved(&model, &of_states, Objective::Min, 1e-6);
    let quarter = Bounds {
        lower: 0.25,
        upper: 0.25,
    };
    assert_eq!((answer.value(StateId(7)), expected[7]), (quarter, 0.25));
    assert_eq!(answer.gains()[0].gain, quarter);
}

#[test]
fn decimals_are_bounded_closely() {
    let model = ring(100_000, |s| f64::from(s % 7) * 0.1);
    let (graph, rewards) = arrays(&model);
    let ones = vec![1.0; graph.num_branches()];
    let rewards = Rewards {
        choices: Some(&rewards),
        ..Rewards::default()
    };
    let problem = Problem::new(&graph, &ones, rewards, Objective::Max).expect("a problem");
    let answer = solve(&problem, &[StateId(0)], &Options::default()).expect("an answer");
    let Bounds { lower, upper } = answer.value(StateId(0));
    assert!(
        lower <= 0.3 && 0.299 < lower && upper - lower < 1e-14,
        "{lower} to {upper}"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Units are powers of two, powers of ten, or neither.
    #[test]
    fn bounds_of_cycles_contain_the_exact_averages(
        rows in prop::collection::vec(prop::collection::vec((-40..40i32, 0..9u32), 1..4), 1..9),
        unit in prop_oneof![Just(0.25), Just(0.1), Just(1.0 / 3.0), Just(1e-9), Just(1e12)],
        objective in objectives(),
    ) {
        let states = rows.len() as u32;
        let choice = |(reward, target)| (f64::from(reward) * unit, target % states);
        let row = |row: Vec<_>| row.into_iter().map(choice).collect();
        let model: Paths = rows.into_iter().map(row).collect();
        // Doubles have no more digits.
        let epsilon = 1e-6 * f64::max(unit, 1.0);
        let of_states = vec![unit; model.len()];
        let (answer, expected) = solved(&model, &of_states, objective, epsilon);
        for (state, expected) in (0..).map(StateId).zip(expected) {
            let Bounds { lower, upper } = answer.value(state);
            prop_assert!(upper - lower <= epsilon);
            // Exact averages are those of the decimals that the doubles represent.
            let near = 1e-13 * unit;
            prop_assert!(lower - near <= expected && expected <= upper + near, "state {}", state);
        }
    }
}
