//! Tests of Markov chains whose values converge slowly. They are solved by elimination.

use long_run::{Bounds, Objective, Options, Problem, Rewards, solve};
use mdp_graph::{MdpGraph, StateId};

/// The branches of each state. Only state 0 has a reward, which is 1.
type Chain = Vec<Vec<(u32, f64)>>;

/// Returns bounds on the average of state 0.
fn solved(chain: &Chain, max_iterations: u64) -> Bounds {
    let count = chain.len() as u32;
    let (mut choices, mut targets, mut probabilities) = (vec![0], Vec::new(), Vec::new());
    for row in chain {
        targets.extend(row.iter().map(|&(target, _)| StateId(target)));
        probabilities.extend(row.iter().map(|&(_, p)| p));
        choices.push(targets.len() as u32);
    }
    let states = (0..=count).collect();
    let graph = MdpGraph::from_parts(states, choices, targets).expect("a chain");
    let mut rewards = vec![0.0; chain.len()];
    rewards[0] = 1.0;
    let rewards = Rewards {
        states: Some(&rewards),
        ..Rewards::default()
    };
    let problem = Problem::new(&graph, &probabilities, rewards, Objective::Max).expect("a problem");
    let options = Options {
        max_iterations,
        ..Options::default()
    };
    let answer = solve(&problem, &[StateId(0)], &options).expect("bounds that are close");
    answer.value(StateId(0))
}

fn check(chain: &Chain, expected: f64) {
    // The number of iterations of value iteration alone grows with the square of the number of
    // states.
    let Bounds { lower, upper } = solved(chain, 1000);
    assert!(upper - lower <= 1e-6, "{lower} to {upper}");
    assert!(
        lower <= expected && expected <= upper,
        "{expected}: {lower} to {upper}"
    );
}

#[test]
fn long_cycles_take_few_iterations() {
    let count = 20_000;
    check(
        &(0..count).map(|s| vec![((s + 1) % count, 1.0)]).collect(),
        1.0 / f64::from(count),
    );
}

/// The stationary distribution of a symmetric walk between two walls is uniform.
#[test]
fn symmetric_walks_take_few_iterations() {
    let count = 3000;
    let row = |s: u32| vec![(s.saturating_sub(1), 0.5), ((s + 1).min(count - 1), 0.5)];
    check(&(0..count).map(row).collect(), 1.0 / f64::from(count));
}

/// The leaves of a tree lead back to the root, so each level is visited as often as the others.
#[test]
fn trees_take_few_iterations() {
    let (levels, count) = (12, (1u32 << 12) - 1);
    let row = |s: u32| match 2 * s + 2 < count {
        true => vec![(2 * s + 1, 0.5), (2 * s + 2, 0.5)],
        false => vec![(0, 1.0)],
    };
    check(&(0..count).map(row).collect(), 1.0 / f64::from(levels));
}

/// In a cycle of cliques, each state leads to all states of the next clique. Elimination has to be
/// given up, or takes little time; in either case the answer is right.
#[test]
fn dense_chains_are_solved() {
    let (cliques, width) = (60, 40);
    let row = |s: u32| {
        let next = (s / width + 1) % cliques * width;
        (next..next + width)
            .map(|t| (t, 1.0 / f64::from(width)))
            .collect()
    };
    let chain: Chain = (0..cliques * width).map(row).collect();
    let Bounds { lower, upper } = solved(&chain, 1_000_000);
    let expected = 1.0 / f64::from(cliques * width);
    assert!(
        lower <= expected && expected <= upper,
        "{expected}: {lower} to {upper}"
    );
}
