//! Models with every feature: how many states, choices and branches they have, their labels and
//! rewards. `xtask/peers/jani.py` compares the counts with Storm's.

use crate::support::{Space, constants, explored, models};
use jani::Program;
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
                let earned = program.choice_reward(structure, &mut scratch, state, action);
                let _ = write!(summary, "+{}", earned.expect("a reward has a value"));
            }
        }
    }
    summary
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
    for name in ["two_vectors", "passing", "instances", "indices", "rewards"] {
        insta::assert_snapshot!(name, listing(name));
    }
}
