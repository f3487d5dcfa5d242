//! Tests of models that mix slowly, in many shapes. All of them are solved within few iterations.

use long_run::{
    Answer, BigRational, Bounds, Error, Objective, Options, Problem, Rewards, solve, solve_exactly,
};
use mdp_graph::{MdpGraph, StateId};
use num_traits::ToPrimitive as _;
use proptest::prelude::*;

/// The choices of each state, with their branches. Branches to the same state are added up.
type Shape = Vec<Vec<Vec<(u32, f64)>>>;

/// The maximum number of iterations. Value iteration alone takes far more.
const FEW: u64 = 1500;

fn solved(
    shape: &Shape,
    rewards: &[f64],
    wanted: u32,
    options: &Options<'_>,
) -> Result<Answer, Error> {
    with_problem(shape, rewards, |problem| {
        solve(problem, &[StateId(wanted)], options)
    })
}

fn with_problem<T>(shape: &Shape, rewards: &[f64], work: impl FnOnce(&Problem<'_>) -> T) -> T {
    let (mut states, mut choices) = (vec![0], vec![0]);
    let (mut targets, mut probabilities) = (Vec::new(), Vec::new());
    for row in shape {
        for choice in row {
            let mut choice = choice.clone();
            choice.sort_by_key(|&(target, _)| target);
            choice.dedup_by(|of, first| {
                let is_same = of.0 == first.0;
                first.1 += if is_same { of.1 } else { 0.0 };
                is_same
            });
            targets.extend(choice.iter().map(|&(target, _)| StateId(target)));
            probabilities.extend(choice.iter().map(|&(_, p)| p));
            choices.push(targets.len() as u32);
        }
        states.push(choices.len() as u32 - 1);
    }
    let graph = MdpGraph::from_parts(states, choices, targets).expect("a model");
    let rewards = Rewards {
        states: Some(rewards),
        ..Rewards::default()
    };
    let problem = Problem::new(&graph, &probabilities, rewards, Objective::Max).expect("a problem");
    work(&problem)
}

/// Checks that the average of a state is found in few iterations, in an absolute and in a relative
/// precision.
fn check(shape: &Shape, rewards: &[f64], wanted: u32, expected: f64) {
    for is_relative in [false, true] {
        let options = Options {
            max_iterations: FEW,
            is_relative,
            ..Options::default()
        };
        let answer = solved(shape, rewards, wanted, &options).expect("bounds that are close");
        let Bounds { lower, upper } = answer.value(StateId(wanted));
        // The expected value is rounded, too.
        let slack = 1e-10 * expected.abs();
        assert!(
            lower <= expected + slack && expected - slack <= upper,
            "{expected}: {lower} to {upper}"
        );
    }
}

/// Returns the average of a state from equations in fractions.
fn exact(shape: &Shape, rewards: &[f64], wanted: u32) -> f64 {
    let found = with_problem(shape, rewards, |problem| {
        solve_exactly(problem, &Options::default())
    });
    let value = found.expect("an answer").value(StateId(wanted)).to_f64();
    value.expect("a double")
}

/// Returns rewards of this many states, which are 0 except for some.
fn rewards(states: u32, some: &[(u32, f64)]) -> Vec<f64> {
    let mut rewards = vec![0.0; states as usize];
    some.iter()
        .for_each(|&(state, reward)| rewards[state as usize] = reward);
    rewards
}

/// Returns the branches of a walk from a state: to the state before with this probability, and
/// otherwise to the next one. It stays where there is none.
fn step(state: u32, count: u32, back: f64) -> Vec<(u32, f64)> {
    let (before, after) = (state.saturating_sub(1), (state + 1).min(count - 1));
    vec![(before, back), (after, 1.0 - back)]
}

/// Returns the average of `rewards` in a walk whose probabilities of going back are given.
fn of_walk(back: impl Fn(u32) -> f64, rewards: &[f64]) -> f64 {
    // In equilibrium, as many runs go from a state to the next one as back. Logarithms of the
    // weights do not overflow.
    let mut weights = vec![0.0];
    for state in 1..rewards.len() as u32 {
        let ratio = (1.0 - back(state - 1)) / back(state);
        weights.push(weights[state as usize - 1] + ratio.ln());
    }
    let most = weights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let weights: Vec<f64> = weights.iter().map(|weight| (weight - most).exp()).collect();
    let earned: f64 = weights.iter().zip(rewards).map(|(w, r)| w * r).sum();
    earned / weights.iter().sum::<f64>()
}

#[test]
fn walks_with_a_drift_are_solved() {
    let count = 4000;
    for back in [0.9, 0.55, 0.5, 0.49, 0.1] {
        let shape = (0..count).map(|s| vec![step(s, count, back)]).collect();
        for rewarded in [0, count / 2, count - 1] {
            let rewards = rewards(count, &[(rewarded, 1.0)]);
            check(&shape, &rewards, 0, of_walk(|_| back, &rewards));
        }
    }
}

/// Runs hardly ever go from one half to the other.
#[test]
fn walks_between_two_wells_are_solved() {
    let count = 1000;
    let back = |s: u32| if s < count / 2 { 0.75 } else { 0.25 };
    let shape = (0..count).map(|s| vec![step(s, count, back(s))]).collect();
    let rewards = rewards(count, &[(0, 1.0), (count - 1, 4.0)]);
    check(&shape, &rewards, 0, of_walk(back, &rewards));
}

/// In each state, the walk may have a drift back or not. A run earns at both ends.
#[test]
fn walks_with_choices_are_solved() {
    let count = 2000;
    let row = |s| vec![step(s, count, 0.5), step(s, count, 0.5625)];
    let shape = (0..count).map(row).collect();
    let rewards = rewards(count, &[(0, 1.0), (count - 1, 3.0)]);
    // The best strategy drifts back everywhere: the state 0 has the weight 1 - 7/9.
    check(&shape, &rewards, 0, 2.0 / 9.0);
}

/// Both choices of each state are the same.
#[test]
fn walks_with_equal_choices_are_solved() {
    let count = 2000;
    let shape = (0..count).map(|s| vec![step(s, count, 0.5); 2]).collect();
    let rewards = rewards(count, &[(0, 1.0), (count - 1, 3.0)]);
    check(&shape, &rewards, 0, 4.0 / f64::from(count));
}

/// A state may go left, go right, or leave it to chance. It is best to stay at one of two states
/// in the middle.
#[test]
fn walks_with_a_will_are_solved() {
    let count = 1000;
    let row = |s| [0.5, 1.0, 0.0].map(|back| step(s, count, back)).to_vec();
    let row = |s| -> Vec<_> {
        let kept = row(s).into_iter();
        kept.map(|choice| choice.into_iter().filter(|&(_, p)| p > 0.0).collect())
            .collect()
    };
    let shape = (0..count).map(row).collect();
    let rewards = rewards(count, &[(0, 1.0), (500, 2.0), (501, 2.5)]);
    check(&shape, &rewards, 0, 2.25);
}

/// A walk may stop for good in some places, so many policies have several closed classes.
#[test]
fn the_best_place_to_stop_is_found() {
    let count = 2000;
    let is_stop = |s: u32| s.is_multiple_of(250) || s + 1 == count;
    let row = |s| {
        let stop = is_stop(s).then(|| vec![(s, 1.0)]);
        [step(s, count, 0.5)].into_iter().chain(stop).collect()
    };
    let shape = (0..count).map(row).collect();
    let reward = |s| if is_stop(s) { f64::from(s) } else { 0.0 };
    let rewards: Vec<f64> = (0..count).map(reward).collect();
    check(&shape, &rewards, 0, 1999.0);
}

/// A gambler plays until all is lost or won.
#[test]
fn gamblers_ruin_is_solved() {
    let count = 20_001;
    let row = |s| match s == 0 || s == count - 1 {
        true => vec![vec![(s, 1.0)]],
        false => vec![step(s, count, 0.5)],
    };
    let shape = (0..count).map(row).collect();
    let rewards = rewards(count, &[(count - 1, 1.0)]);
    check(&shape, &rewards, 5000, 0.25);
}

/// The gambler may play a worse game instead, or stop at half of the goal.
#[test]
fn gamblers_ruin_with_choices_is_solved() {
    let count = 2001;
    let row = |s| match s {
        0 | 2000 => vec![vec![(s, 1.0)]],
        1000 => vec![step(s, count, 0.5), vec![(s, 1.0)]],
        _ => vec![step(s, count, 0.5), step(s, count, 0.75)],
    };
    let shape = (0..count).map(row).collect();
    let rewards = rewards(count, &[(count - 1, 1.0), (1000, 0.75)]);
    // Half of the runs from 500 come to 1000, and stop there.
    check(&shape, &rewards, 500, 0.375);
}

fn grid(rows: u32, columns: u32) -> Shape {
    let row = |state: u32| {
        let (row, column) = (state / columns, state % columns);
        let vertical = step(row, rows, 0.5).into_iter();
        let vertical = vertical.map(|(to, p)| (to * columns + column, p / 2.0));
        let horizontal = step(column, columns, 0.5).into_iter();
        let horizontal = horizontal.map(|(to, p)| (row * columns + to, p / 2.0));
        vec![vertical.chain(horizontal).collect()]
    };
    (0..rows * columns).map(row).collect()
}

#[test]
fn grids_and_ladders_are_solved() {
    for (rows, columns) in [(60, 60), (2, 5000), (5, 1000)] {
        let states = rows * columns;
        let rewards = rewards(states, &[(0, 1.0)]);
        check(&grid(rows, columns), &rewards, 0, 1.0 / f64::from(states));
    }
}

/// Each of two rings is left once in 10⁹ steps or less.
#[test]
fn clusters_that_are_hardly_connected_are_solved() {
    let (half, rare) = (50, 1e-9);
    let row = |s: u32| {
        let (first, place) = (s / half * half, s % half);
        let on = |by| first + (place + by) % half;
        match place {
            0 if first == 0 => vec![(half, rare), (on(1), 1.0 - rare)],
            0 => vec![(0, 3.0 * rare), (on(1), 1.0 - 3.0 * rare)],
            _ => vec![(on(1), 0.5), (on(7), 0.5)],
        }
    };
    let shape: Shape = (0..2 * half).map(|s| vec![row(s)]).collect();
    let mut rewards = vec![0.0; 2 * half as usize];
    rewards[..half as usize].fill(1.0);
    check(&shape, &rewards, 0, exact(&shape, &rewards, 0));
}

/// The walk returns from the last state once in a while.
#[test]
fn rings_with_a_slow_return_are_solved() {
    let (count, rare) = (3000, 1e-6);
    let row = |s: u32| match s + 1 < count {
        true => vec![(s + 1, 1.0)],
        false => vec![(0, rare), (s, 1.0 - rare)],
    };
    let shape = (0..count).map(|s| vec![row(s)]).collect();
    let rewards = rewards(count, &[(0, 1.0)]);
    check(
        &shape,
        &rewards,
        0,
        1.0 / (f64::from(count) - 1.0 + 1.0 / rare),
    );
}

/// Returns chains of up to eight states, each of which leads to the next one and to some others.
/// The probabilities are 2⁻¹ to 2⁻⁹, so runs stay in parts of a chain for long.
fn small_chain() -> impl Strategy<Value = Shape> {
    (2..9u32).prop_flat_map(|states| {
        let branch = (0..states, 3..10i32);
        let row = (prop::collection::vec(branch, 0..3), 2..10i32);
        prop::collection::vec(row, states as usize).prop_map(move |rows| {
            let row = |(state, (others, on)): (u32, (Vec<(u32, i32)>, i32))| {
                let mut row = vec![((state + 1) % states, 2f64.powi(-on))];
                row.extend(others.iter().map(|&(to, p)| (to, 2f64.powi(-p))));
                let leaves: f64 = row.iter().map(|branch| branch.1).sum();
                row.push((state, 1.0 - leaves));
                vec![row]
            };
            (0..).zip(rows).map(row).collect()
        })
    })
}

/// Checks bounds on the averages of all states against fractions.
fn check_exactly(shape: &Shape, rewards: &[f64], epsilon: f64) -> Result<(), TestCaseError> {
    let exact = with_problem(shape, rewards, |problem| {
        solve_exactly(problem, &Options::default())
    });
    let exact = exact.expect("an answer");
    let options = Options {
        max_iterations: FEW,
        is_relative: true,
        epsilon,
        ..Options::default()
    };
    for state in (0..shape.len() as u32).map(StateId) {
        let found = solved(shape, rewards, state.0, &options).expect("bounds that are close");
        let Bounds { lower, upper } = found.value(state);
        let [lower, upper] =
            [lower, upper].map(|end| BigRational::from_float(end).expect("finite"));
        let exact = exact.value(state);
        prop_assert!(
            &lower <= exact && exact <= &upper,
            "{exact}: {lower} to {upper}"
        );
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// The iteration does not reach this precision in so few iterations.
    #[test]
    fn bounds_of_chains_contain_fractions(
        shape in small_chain(),
        rewards in prop::collection::vec(0..9u32, 8),
    ) {
        let rewards = rewards.into_iter().map(f64::from).map(|reward| reward + 1.0);
        let rewards: Vec<f64> = rewards.take(shape.len()).collect();
        check_exactly(&shape, &rewards, 1e-12)?;
    }

    /// Two more states cannot be left, and chains lead there.
    #[test]
    fn bounds_of_chains_that_are_left_contain_fractions(
        mut shape in small_chain(),
        exits in prop::collection::vec((0..8u32, 0..2u32, 3..10i32), 1..4),
        rewards in [1..9u32, 1..9u32],
    ) {
        let states = shape.len() as u32;
        for (from, to, p) in exits {
            let row = &mut shape[(from % states) as usize][0];
            // The last branch leads back to its own state.
            let p = 2f64.powi(-p).min(row[row.len() - 1].1);
            row.last_mut().expect("a branch").1 -= p;
            row.push((states + to, p));
            row.retain(|branch| branch.1 > 0.0);
            row.sort_by_key(|&(to, _)| to == from % states);
        }
        shape.extend([vec![vec![(states, 1.0)]], vec![vec![(states + 1, 1.0)]]]);
        let mut of_states = vec![0.0; states as usize];
        of_states.extend(rewards.map(f64::from));
        check_exactly(&shape, &of_states, 1e-11)?;
    }
}
