//! The JSON documents of commands that describe models, for scripts.

use crate::common::{maxend, transcript};
use serde_json::Value;

/// Returns the only document on the standard output of a command, which ends with this code.
fn document(args: &str, code: i32) -> Value {
    let run = maxend(args);
    assert_eq!(run.code, Some(code), "{args}\n{}", run.stderr);
    serde_json::from_str(&run.stdout).unwrap()
}

#[test]
fn what_info_tells_scripts() {
    let commands = [
        "info ../../../fixtures/running_example.tra -f json",
        "info rewards/machine.prism -c HEAT=2 -f json",
        "info good/duel.prism -f json",
        "info good/maze.prism -f json",
        "info good/blocked.exp -f json",
        "info ../../../fixtures/empty.tra --format json",
    ];
    insta::assert_snapshot!(transcript(&commands, 0));
}

/// Each number of the text is in the document, too.
#[test]
fn info_has_the_same_facts_as_text_and_as_json() {
    for model in [
        "good/rounds.tra",
        "good/duel.prism",
        "rewards/machine.prism -c HEAT=2",
    ] {
        let text = maxend(&format!("info -q {model}")).result();
        let json = document(&format!("info -q {model} -f json"), 0);
        let row = |name: &str| {
            let line = text.lines().find(|line| line.starts_with(name)).unwrap();
            line[name.len()..].trim().replace(',', "")
        };
        for (row_name, field) in [
            ("states", "states"),
            ("choices", "choices"),
            ("branches", "branches"),
            ("edges", "edges"),
        ] {
            assert_eq!(row(row_name), json["model"][field].to_string(), "{model}");
        }
        for (row_name, field) in [("self-loops", "self_loops"), ("deadlocks", "deadlocks")] {
            let count = row(row_name).split(' ').next().unwrap().to_owned();
            assert_eq!(count, json["model"][field].to_string(), "{model}");
        }
        assert_eq!(row("format"), json["model"]["format"], "{model}");
        let type_name = json["model"]["type"].as_str().unwrap().to_uppercase();
        assert_eq!(row("type"), type_name, "{model}");
        for (label, states) in json["labels"].as_object().unwrap() {
            let shown = text.lines().any(|line| {
                let line = line.trim();
                line.starts_with(label.as_str()) && line.contains(&format!(" {states} state"))
            });
            assert!(shown, "{model}: {label}");
        }
    }
}
