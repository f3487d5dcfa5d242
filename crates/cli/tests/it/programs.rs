//! The reference models in PRISM's language, from source to components, against the explicit files
//! that other tools made of them. States are numbered in different orders, so they are compared by
//! the values of their variables.

use crate::common::{command, outcome};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use test_models::{Instance, small_instances};

fn maxend(model: &Path, options: &str) -> String {
    outcome(&mut command_for(model, options)).result()
}

/// What is printed of an instance that is built from its source.
fn built(instance: &Instance, options: &str) -> String {
    let mut command = command_for(&instance.source, options);
    let constants = instance.constants.iter();
    let constants: Vec<_> = constants
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    if !constants.is_empty() {
        command.args(["--const", &constants.join(",")]);
    }
    outcome(&mut command).result()
}

fn command_for(model: &Path, options: &str) -> Command {
    let mut command = command();
    command.args(["decompose", "-q", "--device", "cpu"]);
    command.args(options.split(' ')).arg(model);
    command
}

/// The components of a text in PRISM's format, as sets of states; a state is the values of the
/// variables, by their names.
fn components(text: &str) -> BTreeSet<BTreeSet<Vec<(&str, &str)>>> {
    let (variables, components) = text.split_once('\n').unwrap();
    let variables = variables.trim_start_matches("Variables: ");
    let list = |text| -> Vec<&str> { inside(text).split(',').collect() };
    let variables = list(variables);
    let state = |line| {
        let values = list(line).into_iter();
        let mut state: Vec<_> = variables.iter().copied().zip(values).collect();
        state.sort_unstable();
        state
    };
    let parts = components.split("\n\n").filter(|part| !part.is_empty());
    parts
        .map(|part| part.trim().lines().skip(1).map(state).collect())
        .collect()
}

/// What stands in parentheses.
fn inside(text: &str) -> &str {
    text.split_once('(').unwrap().1.trim_end_matches(')')
}

#[test]
fn programs_have_the_counts_of_other_tools() {
    for instance in small_instances().unwrap_or_default() {
        let text = built(&instance, "--format json");
        let json: serde_json::Value = serde_json::from_str(&text).unwrap();
        let counts = |part: &str, names: [&str; 3]| {
            names.map(|name| json[part][name].as_u64().unwrap() as usize)
        };
        let model = counts("model", ["states", "choices", "branches"]);
        assert_eq!(model, instance.counts, "{}", instance.name);
        let mecs = counts("decomposition", ["components", "largest", "states"]);
        assert_eq!(mecs, instance.mecs, "{}", instance.name);
    }
}

#[test]
fn programs_have_the_components_of_their_explicit_files() {
    let Some(instances) = small_instances() else {
        return;
    };
    let mut compared = 0;
    for instance in instances {
        let Some(explicit) = instance.explicit.file("tra") else {
            continue;
        };
        let kind = ["scc", "mec"][compared % 2];
        let options = format!("--format prism --components {kind}");
        let built = built(&instance, &options);
        let read = maxend(&explicit, &options);
        let equal = components(&built) == components(&read);
        assert!(equal, "{kind} of {}", instance.name);
        compared += 1;
    }
    assert!(compared > 10, "only {compared} were compared");
}
