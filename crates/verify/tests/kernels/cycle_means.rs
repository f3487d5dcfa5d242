//! Howard's algorithm on the interpreter: small graphs with weights, all answers as the CPU's, and
//! no data races.

use crate::engines::{device, graph};
use cycle_mean::{Device, Goal, Options, Problem, Search, solve_components};
use decompose::scc;
use mdp_graph::MdpGraph;
use verify::small::{Model, digraphs};

/// Solves a problem on the interpreter and on the CPU, and compares.
fn check(problem: &Problem<'_>, seed: u64) -> Result<(), String> {
    let interpreter = device(seed);
    let solve = |search, device| {
        let options = Options {
            search,
            device,
            ..Options::default()
        };
        let components = scc(problem.graph(), &decompose::Options::default());
        let answer = solve_components(problem, components.expect("components"), &options);
        answer.map(|answer| (answer.optima().to_vec(), answer.potentials().to_vec()))
    };
    let expected = solve(Search::Howard, Device::Cpu);
    for search in [Search::Howard, Search::Paper] {
        let found = solve(search, Device::Gpu(interpreter.gpu()));
        if found != expected {
            return Err(format!("{problem:?}, {search:?}: {found:?}"));
        }
    }
    match interpreter.findings().first() {
        Some((kernel, finding)) => Err(format!("{problem:?}, {kernel}: {finding}")),
        None => Ok(()),
    }
}

/// Weights of both signs, many of them equal, and times, some of them 0.
fn numbers(graph: &MdpGraph, seed: u64) -> (Vec<i64>, Vec<u32>) {
    let mixed = |branch: usize, factor: u64| (branch as u64 + 3).wrapping_mul(seed + 5) * factor;
    let branches = 0..graph.num_branches();
    let weight = |branch| (mixed(branch, 7) % 5) as i64 - 2;
    let time = |branch| (mixed(branch, 11) % 3) as u32;
    (
        branches.clone().map(weight).collect(),
        branches.map(time).collect(),
    )
}

fn check_all(models: impl Iterator<Item = Model>) {
    for (seed, model) in (0..).zip(models) {
        let graph = graph(&model);
        let (weights, times) = numbers(&graph, seed);
        let goal = [Goal::Min, Goal::Max][seed as usize % 2];
        let problem = match seed % 3 {
            0 => Problem::ratio(&graph, &weights, &times, goal),
            _ => Problem::mean(&graph, &weights, goal),
        };
        assert_eq!(check(&problem, seed), Ok(()));
    }
}

#[test]
fn all_digraphs_of_two_states() {
    check_all(digraphs(1).chain(digraphs(2)));
}

#[test]
fn some_digraphs_of_three_states() {
    check_all(digraphs(3).step_by(17));
}

/// More states than a workgroup has invocations, and one with a long row.
#[test]
fn a_wheel_with_a_hub() {
    let rim = 1100;
    let hub: Vec<Vec<u32>> = (1..=rim).map(|state| vec![state]).collect();
    let spoke = |state: u32| vec![vec![0], vec![state % rim + 1]];
    let model: Model = [hub].into_iter().chain((1..=rim).map(spoke)).collect();
    let graph = graph(&model);
    let (weights, _) = numbers(&graph, 1);
    assert_eq!(
        check(&Problem::mean(&graph, &weights, Goal::Max), 2),
        Ok(())
    );
}
