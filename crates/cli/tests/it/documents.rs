//! The JSON documents of commands that describe models, for scripts.

use crate::common::{maxend, transcript};
use serde_json::Value;
use std::fmt::Write as _;

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

#[test]
fn what_explore_tells_scripts() {
    let found = [
        "explore ../../../fixtures/forks.exp --check deadlock --check livelock -f json",
        "explore ../../../fixtures/forks.exp --check deadlock -f json",
        "explore good/walk.prism -c N=3 --find x=2 --find-action step --format json",
        "explore good/turnstile.aut --certify --find-action push -f json",
    ];
    let others = [
        "explore good/strangers.exp -f json",
        "explore good/apart.exp --check livelock -f json",
        "explore good/turnstile.aut --check deadlock --find-action kick -f json",
        "explore good/walk.prism -c N=3 -f json",
    ];
    insta::assert_snapshot!(transcript(&found, 4) + &transcript(&others, 0));
}

/// Returns steps of a document as the text shows them.
fn steps_as_text(steps: &Value, variables: &Value) -> String {
    let mut text = String::new();
    for step in steps.as_array().into_iter().flatten() {
        let action = step["action"].as_str().map(|action| format!(" {action}"));
        let values = step["values"].as_array().unwrap().iter();
        let pairs = variables.as_array().unwrap().iter().zip(values);
        let pairs = pairs.map(|(name, value)| format!("{}={value}", name.as_str().unwrap()));
        let pairs: Vec<String> = pairs.collect();
        let (action, pairs) = (action.unwrap_or_default(), pairs.join(", "));
        writeln!(text, "    -->{action}\n  {} ({pairs})", step["state"]).unwrap();
    }
    text
}

/// The text of the document's results and counts is the text that the command prints.
#[test]
fn explore_has_the_same_results_as_text_and_as_json() {
    for args in [
        "../../../fixtures/forks.exp --check deadlock --check livelock",
        "../../../fixtures/alternating_bit.exp --check livelock",
        "good/apart.exp --check livelock --check deadlock",
        "good/walk.prism -c N=3 --find x=2 --check deadlock --check livelock",
        "good/turnstile.aut --find-action push --check deadlock",
    ] {
        let text = maxend(&format!("explore -q {args}"));
        let json = document(&format!("explore -q {args} -f json"), text.code.unwrap());
        let variables = &json["model"]["variables"];
        let mut lines = text.stdout.split("\n\n");
        let counts: Vec<u64> = lines
            .next()
            .unwrap()
            .lines()
            .map(|line| {
                let digits = line.chars().filter(char::is_ascii_digit);
                digits.collect::<String>().parse().unwrap()
            })
            .collect();
        let exploration = &json["exploration"];
        let fields = match counts.len() {
            3 => &["states", "transitions", "deadlocks"][..],
            _ => &["states", "choices", "transitions", "deadlocks"],
        };
        for (&count, field) in counts.iter().zip(fields) {
            assert_eq!(exploration[field], count, "{args}");
        }
        let results = json["results"].as_array().unwrap();
        assert_eq!(lines.clone().count(), results.len(), "{args}");
        for (shown, result) in lines.zip(results) {
            let (kind, name) = (result["kind"].as_str().unwrap(), &result["name"]);
            let what = match (kind, name.as_str()) {
                ("action", Some(name)) => format!("action `{name}`"),
                ("state", Some(name)) => format!("state with {name}"),
                _ => kind.to_owned(),
            };
            if result["found"] == false {
                assert_eq!(shown.trim_end(), format!("no {what}"), "{args}");
                continue;
            }
            let mut expected = steps_as_text(&result["trace"], variables);
            // No action leads to an initial state.
            expected = expected.split_once('\n').unwrap().1.to_owned();
            if result.get("cycle").is_some() {
                expected += "  and then for ever:\n";
            }
            expected += &steps_as_text(&result["cycle"], variables);
            let steps = match result["transitions"].as_u64().unwrap() {
                1 => "1 transition".to_owned(),
                many => format!("{many} transitions"),
            };
            let expected = format!("{what} after {steps}\n{expected}");
            assert_eq!(shown.trim_end(), expected.trim_end(), "{args}");
        }
    }
}
