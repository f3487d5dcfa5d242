//! Models with every feature: how many states, choices and branches they have, their labels and
//! rewards. `xtask/peers/jani.py` compares the counts with Storm's.

use crate::support::{Space, constants, explored, models};
use jani::Program;
use prism_language::{ActionId, Scratch};
use std::fmt::Write;

fn summary(program: &Program, space: &Space) -> String {
    let mut summary = String::new();
    let choices = space.choices.iter().flatten();
    let branches: usize = choices.clone().map(|(_, branches)| branches.len()).sum();
    let deadlocks = space
        .choices
        .iter()
        .filter(|choices| choices.is_empty())
        .count();
    let states = space.states.len();
    let choices = choices.count();
    let line =
        format!("{states} states, {choices} choices, {branches} branches, {deadlocks} deadlocks");
    summary.push_str(&line);
    let mut scratch = program.scratch();
    for label in program.labels() {
        let mut holds = |state: &[u64]| program.has_label(label, &mut scratch, state);
        let states = space.states.iter();
        let count = states
            .filter(|state| holds(state).expect("a label has a value"))
            .count();
        let _ = write!(summary, "\n  label {}: {count}", label.name());
    }
    for structure in program.rewards() {
        let name = structure.name().unwrap_or_default();
        let _ = write!(summary, "\n  rewards {name}:");
        for (state, choices) in space.states.iter().zip(&space.choices) {
            let earned = program.state_reward(structure, &mut scratch, state);
            let _ = write!(summary, " {}", earned.expect("a reward has a value"));
            for &(action, _) in choices {
                let earned = match is_merged(program, &mut scratch, state) {
                    true => program.merged_reward(structure, &mut scratch, state),
                    false => program.choice_reward(structure, &mut scratch, state, action),
                };
                let _ = write!(summary, "+{}", earned.expect("a reward has a value"));
            }
        }
    }
    summary
}

/// Whether the state has one choice, made of all its commands.
fn is_merged(program: &Program, scratch: &mut Scratch, state: &[u64]) -> bool {
    !program.model_type().is_nondeterministic() || program.is_markovian(scratch, state)
}

/// In Storm 2.0 states 0 and 2 earn the same; in state 1 it adds 5 and 1 in an automaton,
/// and has the average 2 in a CTMC.
#[test]
fn what_edges_with_rates_earn_is_averaged() {
    let automaton = include_str!("../models/edge_rewards.jani");
    let chain = automaton
        .replacen("\"ma\"", "\"ctmc\"", 1)
        .replace("\"action\": \"a\"", "\"rate\": {\"exp\": 1}")
        .replace("\"action\": \"b\"", "\"rate\": {\"exp\": 1}");
    for (text, in_2) in [(automaton, 7.0), (&chain, (7.0 + 600.0) / 7.0)] {
        let (program, space) = explored(text.as_bytes(), &[]).expect("a model");
        let mut scratch = program.scratch();
        let earned = |name: &str, scratch: &mut Scratch, state: &[u64]| {
            let mut all = program.rewards().iter();
            let structure = all.find(|structure| structure.name() == Some(name));
            let structure = structure.expect("a structure");
            let earned = match is_merged(&program, scratch, state) {
                true => program.merged_reward(structure, scratch, state),
                false => {
                    let action = |name| program.actions().iter().position(|other| other == name);
                    let action = action("a").map(|number| ActionId(number as u32));
                    program.choice_reward(structure, scratch, state, action)
                }
            };
            earned.expect("a reward")
        };
        let value = |state: &[u64]| program.show(state).to_string();
        for state in &space.states {
            let (r, q) = match value(state).as_str() {
                "(x=0)" => (6.0, 5.0),
                "(x=1)" => (2.0, 0.0),
                "(x=2)" => (in_2, 0.0),
                _ => continue,
            };
            let found = earned("r", &mut scratch, state);
            assert!((found - r).abs() < 1e-12, "{}: {found}", value(state));
            assert_eq!(earned("q", &mut scratch, state), q);
        }
    }
}

/// Only 0 is 0: what a double cannot distinguish from 0 is the least double above 0.
#[test]
fn edges_of_tiny_probability_stay() {
    let die = include_str!("../models/die.jani");
    let half = r#"{"op": "/", "left": 1, "right": 2}"#;
    let count = |[first, second]: [&str; 2]| {
        let die = die.replacen(half, first, 1).replacen(half, second, 1);
        let (_, space) = explored(die.as_bytes(), &[]).expect("a model");
        space.states.len()
    };
    let all = count(["0.5", "0.5"]);
    assert_eq!(count(["1e-400", "1.0"]), all);
    assert!(count(["0e-400", "1.0"]) < all);
}

#[test]
fn counts() {
    let mut all = String::new();
    for path in models() {
        let name = path
            .file_stem()
            .and_then(|name| name.to_str())
            .expect("a name");
        let text = std::fs::read(&path).expect("the model is there");
        let (program, space) = explored(&text, constants(name)).expect(name);
        let _ = writeln!(all, "{name}: {}", summary(&program, &space));
    }
    insta::assert_snapshot!(all);
}

/// The states and choices of a model, in order.
fn listing(name: &str) -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/models");
    let text = std::fs::read(format!("{folder}/{name}.jani")).expect("the model is there");
    let (program, space) = explored(&text, constants(name)).expect(name);
    let mut lines = String::new();
    for (number, (state, choices)) in space.states.iter().zip(&space.choices).enumerate() {
        let _ = writeln!(lines, "{number} {}", program.show(state));
        for (action, branches) in choices {
            let action = action.map_or("", |action| &program.actions()[action.0 as usize]);
            let _ = writeln!(lines, "  [{action}] {branches:?}");
        }
    }
    lines
}

/// The order of states and choices is promised.
#[test]
fn order() {
    for name in [
        "two_vectors",
        "passing",
        "instances",
        "indices",
        "rewards",
        "input_enabled_chain",
    ] {
        insta::assert_snapshot!(name, listing(name));
    }
}
