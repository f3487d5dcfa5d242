//! Counts of small models of every type, in `tests/types`, each of which tests other features.
//! `xtask/peers/small_models.py` compares these counts with those of Storm and PRISM.

use crate::common::{maxend, tests};
use std::fmt::Write as _;
use std::fs;

/// A line for each model: its type, states, choices, branches, deadlocks, how many states have each
/// label, and the size of each MEC.
fn counts(folder: &str, options: &str) -> String {
    let entries = fs::read_dir(tests().join("types").join(folder)).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.collect();
    names.sort();
    assert!(names.len() >= 20, "{folder}: {} models", names.len());
    let mut lines = String::new();
    for name in names {
        let model = format!("types/{folder}/{name}");
        let run = maxend(&format!(
            "decompose -q --device cpu --format json {options} {model}"
        ));
        let document: serde_json::Value = serde_json::from_str(&run.result()).unwrap();
        let of_model = &document["model"];
        let counted = ["states", "choices", "branches", "deadlocks"].map(|what| &of_model[what]);
        let [states, choices, branches, deadlocks] = counted;
        let components = document["components"].as_array().unwrap().iter();
        let sizes: Vec<String> = components.map(|one| one["size"].to_string()).collect();
        let kind = of_model["type"].as_str().unwrap();
        let labels = labels(&model).join(",");
        writeln!(
            lines,
            "{name}: {kind} {states} {choices} {branches} {deadlocks} ({labels}) [{}]",
            sizes.join(" ")
        )
        .unwrap();
    }
    lines
}

/// The number of states that have each label of the model itself: `done=1`, `late=3`.
fn labels(model: &str) -> Vec<String> {
    let info = maxend(&format!("info -q {model}")).result();
    let lines = info.lines().skip_while(|line| *line != "labels").skip(1);
    let rows = lines.map_while(|line| line.strip_prefix("  "));
    let own = rows.filter_map(|row| {
        let mut words = row.split_whitespace();
        let (name, count) = (words.next()?, words.next()?);
        (!["init", "deadlock"].contains(&name)).then(|| format!("{name}={count}"))
    });
    own.collect()
}

/// With both values of `--interval-edges`.
#[test]
fn interval_models() {
    let possible = counts("interval", "");
    insta::assert_snapshot!("interval_models", possible);
    let certain = counts("interval", "--interval-edges certain --certify");
    insta::assert_snapshot!("interval_models_certain", certain);
}

/// What does not depend on the format: type, states, choices, branches, the sizes of MECs, and how
/// many states have each label.
fn facts(model: &str, options: &str) -> String {
    let run = maxend(&format!(
        "decompose -q --device cpu --format json {options} {model}"
    ));
    let document: serde_json::Value = serde_json::from_str(&run.result()).unwrap();
    let counted = ["type", "states", "choices", "branches"].map(|what| &document["model"][what]);
    let components = document["components"].as_array().unwrap().iter();
    let sizes: Vec<_> = components.map(|one| &one["size"]).collect();
    let mut labels = labels(model);
    // Archives have no order of labels.
    labels.sort();
    format!("{counted:?} {sizes:?} {labels:?}")
}

/// Models that are built to files are the same there.
fn files_are_the_same(folder: &str, endings: &[&str], readings: &[&str]) {
    let written = tempfile::tempdir().unwrap();
    for entry in fs::read_dir(tests().join("types").join(folder)).unwrap() {
        let path = entry.unwrap().path();
        let model = path.display().to_string();
        let stem = path.file_stem().unwrap();
        // A game of one player has a test of its own.
        if stem == "only_one" {
            continue;
        }
        for ending in endings {
            let file = written.path().join(stem).with_extension(ending);
            let file = file.display().to_string();
            maxend(&format!("build -q {model} -o {file}")).result();
            for reading in readings {
                assert_eq!(
                    facts(&file, reading),
                    facts(&model, reading),
                    "{ending} of {model}"
                );
            }
        }
    }
}

#[test]
fn drawings_have_the_bounds_of_intervals() {
    let drawing = maxend("decompose -q good/interval.tra --format dot").result();
    for bounds in ["[0.2,0.5]", "[0.5,0.8]", "[0,1]"] {
        assert!(drawing.contains(&format!("=\"{bounds}\"")), "{drawing}");
    }
    // What is certain has no number.
    assert!(drawing.contains("  2 -> 2 [style=bold];"), "{drawing}");
}

#[test]
fn interval_models_in_files() {
    let readings = ["", "--interval-edges certain"];
    files_are_the_same("interval", &["tra", "umb", "drn"], &readings);
}

#[test]
fn markov_automata_in_files() {
    files_are_the_same("ma", &["umb", "drn"], &[""]);
}

#[test]
fn other_models_in_files() {
    files_are_the_same("pomdp", &["tra", "umb", "drn"], &[""]);
    files_are_the_same("smg", &["umb"], &["", "--components scc"]);
    files_are_the_same("pta", &["tra", "umb", "drn"], &[""]);
    files_are_the_same("unbounded", &["tra", "umb", "drn"], &[""]);
}

#[test]
fn timed_automata() {
    insta::assert_snapshot!(counts("pta", ""));
}

#[test]
fn variables_without_bounds() {
    insta::assert_snapshot!(counts("unbounded", ""));
}

#[test]
fn partially_observable_models() {
    insta::assert_snapshot!(counts("pomdp", ""));
}

#[test]
fn games() {
    insta::assert_snapshot!(counts("smg", ""));
}

#[test]
fn markov_automata() {
    insta::assert_snapshot!(counts("ma", ""));
}
