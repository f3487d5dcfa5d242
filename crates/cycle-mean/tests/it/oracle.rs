//! Slow ways to find optimal values: all simple cycles one by one, and Karp's algorithm.

use crate::graphs::Weighted;
use cycle_mean::{Objective, Problem, Ratio};
use mdp_graph::StateId;

/// Returns the better of two values.
fn better(objective: Objective, a: Option<Ratio>, b: Ratio) -> Option<Ratio> {
    Some(match (objective, a) {
        (_, None) => b,
        (Objective::Min, Some(a)) => a.min(b),
        (Objective::Max, Some(a)) => a.max(b),
    })
}

/// For each state, returns the optimal value of the simple cycles of which it is the least state,
/// by following all simple paths. Returns `None` if a cycle takes no time.
pub(crate) fn all_cycles(problem: &Problem<'_>) -> Option<Vec<Option<Ratio>>> {
    let graph = problem.graph();
    let start = |state: StateId| {
        let mut best = None;
        let mut path = vec![state];
        walk(problem, &mut path, 0, 0, &mut best).then_some(best)
    };
    graph.states().map(start).collect()
}

/// Extends a path by each edge. Returns whether all cycles took time.
fn walk(
    problem: &Problem<'_>,
    path: &mut Vec<StateId>,
    weight: i64,
    time: u64,
    best: &mut Option<Ratio>,
) -> bool {
    let graph = problem.graph();
    let state = path[path.len() - 1];
    graph.branch_range(state).all(|branch| {
        let target = graph.all_targets()[branch];
        let weight = weight + problem.weights()[branch];
        let time = time + problem.times().map_or(1, |times| u64::from(times[branch]));
        if target == path[0] {
            if time > 0 {
                *best = better(problem.objective(), *best, Ratio::new(weight.into(), time));
            }
            return time > 0;
        }
        if target < path[0] || path.contains(&target) {
            return true;
        }
        path.push(target);
        let all = walk(problem, path, weight, time, best);
        path.pop();
        all
    })
}

/// Returns the least mean of a cycle, by R. M. Karp, *A characterization of the minimum cycle mean
/// in a digraph*, Discrete Mathematics 23, 1978. Walks of each length may start in any state.
pub(crate) fn karp(of: &Weighted) -> Option<Ratio> {
    let n = of.graph.num_states();
    let mut walks: Vec<Vec<Option<i64>>> = vec![vec![Some(0); n]];
    for length in 0..n {
        let mut next = vec![None; n];
        for (branch, &source) in of.sources.iter().enumerate() {
            let target = of.graph.all_targets()[branch].index();
            if let Some(weight) = walks[length][source as usize] {
                let weight = weight + of.weights[branch];
                next[target] = Some(next[target].map_or(weight, |least: i64| least.min(weight)));
            }
        }
        walks.push(next);
    }
    let means = (0..n).filter_map(|state| {
        let longest = walks[n][state]?;
        let slopes = (0..n).filter_map(|length| {
            let weight = walks[length][state]?;
            Some(Ratio::new((longest - weight).into(), (n - length) as u64))
        });
        slopes.max()
    });
    means.min()
}
