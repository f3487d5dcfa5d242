//! Value iteration for long-run averages on the interpreter: small MDPs, bounds that contain exact
//! averages, and no data races.

use crate::engines::{device, graph};
use long_run::{Bounds, Device, Goal, Options, Problem, Rewards, solve, solve_exactly};
use mdp_graph::StateId;
use verify::small::{Model, mdps};

fn check(model: &Model, seed: u64) -> Result<(), String> {
    let graph = graph(model);
    let choices = graph.choice_offsets().last().copied().unwrap_or_default();
    let lengths = graph.branch_offsets().windows(2).map(|row| row[1] - row[0]);
    let probabilities: Vec<f64> = lengths
        .flat_map(|length| (0..length).map(move |_| 1.0 / f64::from(length)))
        .collect();
    let reward = |choice: u32| ((u64::from(choice) + 3) * (seed + 5) % 7) as f64 - 3.0;
    let rewards: Vec<f64> = (0..choices).map(reward).collect();
    let rewards = Rewards {
        choices: Some(&rewards),
        ..Rewards::default()
    };
    let goal = [Goal::Min, Goal::Max][seed as usize % 2];
    let problem = Problem::new(&graph, &probabilities, rewards, goal).expect("a problem");
    let interpreter = device(seed);
    let options = Options {
        epsilon: 0.01,
        device: Device::Gpu(interpreter.gpu()),
        ..Options::default()
    };
    let states: Vec<StateId> = graph.states().collect();
    let found = solve(&problem, &states, &options).map_err(|error| error.to_string())?;
    let exact = solve_exactly(&problem, &Options::default()).map_err(|error| error.to_string())?;
    for &state in &states {
        let (bounds, value) = (found.value(state), Bounds::around(exact.value(state)));
        if bounds.lower > value.upper || value.lower > bounds.upper {
            return Err(format!(
                "{model:?}, state {state}: {bounds:?}, not {value:?}"
            ));
        }
    }
    match interpreter.findings().first() {
        Some((kernel, finding)) => Err(format!("{model:?}, {kernel}: {finding}")),
        None => Ok(()),
    }
}

#[test]
fn small_models_without_deadlocks() {
    let live = mdps(3).filter(|model| model.iter().all(|choices| !choices.is_empty()));
    for (seed, model) in (0..).zip(live.step_by(130_003)) {
        assert_eq!(check(&model, seed), Ok(()));
    }
}
