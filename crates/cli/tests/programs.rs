//! The reference models in PRISM's language, from source to components, against the explicit files that
//! other tools made of them. States are numbered in different orders, so they are compared by the values of
//! their variables. The folder is named by the environment variable `MAXEND_MODELS`; the sources are in
//! `prism-models` beside it.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use common::{command, outcome};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Larger models take too long for a test.
const MOST_STATES: usize = 100_000;

/// A line of `counts.csv`.
struct Reference {
    source: PathBuf,
    constants: String,
    /// The explicit files, without their endings.
    explicit: PathBuf,
    /// States, choices, branches, MECs, the size of the largest, states in MECs.
    counts: [usize; 6],
}

fn references() -> Vec<Reference> {
    let Some(folder) = std::env::var_os("MAXEND_MODELS").map(PathBuf::from) else {
        eprintln!("SKIPPED: no model was built, as MAXEND_MODELS is not set");
        return Vec::new();
    };
    let sources = folder.join("../prism-models");
    let csv = std::fs::read_to_string(folder.join("counts.csv")).unwrap();
    let lines = csv.lines().skip(1).map(|line| line.split(',').collect());
    let small =
        lines.filter(|fields: &Vec<&str>| fields[5].parse::<usize>().unwrap() <= MOST_STATES);
    let references: Vec<Reference> = small
        .map(|fields| Reference {
            source: sources.join(fields[3]),
            // In the table, constants stand between commas.
            constants: fields[4].replace(';', ","),
            explicit: folder.join(fields[1]).join(fields[2]),
            counts: [5, 6, 7, 12, 13, 14].map(|i| fields[i].parse().unwrap()),
        })
        .collect();
    assert!(references.len() > 10, "counts.csv lists small models");
    references
}

fn maxend(model: &Path, constants: &str, options: &str) -> String {
    let mut command = command();
    command.args(["decompose", "-q", "--device", "cpu"]);
    command.args(options.split(' ')).arg(model);
    if !constants.is_empty() {
        command.args(["--const", constants]);
    }
    outcome(&mut command).result()
}

/// The components of a text in PRISM's format, as sets of states; a state is the values of the variables,
/// by their names.
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
    for reference in references() {
        let text = maxend(&reference.source, &reference.constants, "--format json");
        let json: serde_json::Value = serde_json::from_str(&text).unwrap();
        let (model, found) = (&json["model"], &json["decomposition"]);
        let counts = [
            &model["states"],
            &model["choices"],
            &model["branches"],
            &found["components"],
            &found["largest"],
            &found["states"],
        ];
        let counts = counts.map(|count| count.as_u64().unwrap() as usize);
        assert_eq!(counts, reference.counts, "{}", reference.explicit.display());
    }
}

#[test]
fn programs_have_the_components_of_their_explicit_files() {
    let mut compared = 0;
    for reference in references() {
        let explicit = ["tra", "tra.gz"].map(|ending| reference.explicit.with_extension(ending));
        let Some(explicit) = explicit.iter().find(|path| path.exists()) else {
            continue;
        };
        for kind in ["scc", "mec"] {
            let options = format!("--format prism --components {kind}");
            let built = maxend(&reference.source, &reference.constants, &options);
            let read = maxend(explicit, "", &options);
            let equal = components(&built) == components(&read);
            assert!(equal, "{kind} of {}", explicit.display());
        }
        compared += 1;
    }
    assert!(compared > 10 || std::env::var_os("MAXEND_MODELS").is_none());
}
