//! The actions of Markov chains, whose commands form one choice in each state, in searches and in
//! files.

use crate::common::{self, adapter_is_there, maxend};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

/// States of which several commands of one action make the choice.
const ALIKE: &str = "dtmc module m x:[0..1]; [b] x=0 -> 0.5:(x'=0)+0.5:(x'=1);
    [b] x=0 -> (x'=1); endmodule";

/// States of which commands of different actions do.
const QUEUE: &str = "ctmc module m x:[0..2]; [arrive] x<2 -> 1:(x'=x+1); [fail] x=1 -> 0.1:(x'=0);
    [serve] x>0 -> 2:(x'=x-1); endmodule";

/// One branch has two actions.
const SHARED: &str = "dtmc module m x:[0..1]; [a] true -> (x'=1-x); [b] true -> (x'=1-x);
    endmodule";

/// One of them has none, which is internal.
const PARTLY: &str = "dtmc module m x:[0..2]; [a] x=0 -> (x'=1); [a] x>0 -> (x'=2);
    [] x>0 -> (x'=3-x); endmodule";

/// Like `QUEUE`.
const JANI: &str = r#"{"jani-version": 1, "name": "queue", "type": "ctmc",
    "actions": [{"name": "arrive"}, {"name": "fail"}, {"name": "serve"}],
    "variables": [{"name": "x", "initial-value": 0,
        "type": {"kind": "bounded", "base": "int", "lower-bound": 0, "upper-bound": 2}}],
    "automata": [{"name": "m", "locations": [{"name": "l"}], "initial-locations": ["l"], "edges": [
        {"location": "l", "action": "arrive", "rate": {"exp": 1},
         "guard": {"exp": {"op": "<", "left": "x", "right": 2}},
         "destinations": [{"location": "l", "assignments":
            [{"ref": "x", "value": {"op": "+", "left": "x", "right": 1}}]}]},
        {"location": "l", "action": "fail", "rate": {"exp": 0.1},
         "guard": {"exp": {"op": "=", "left": "x", "right": 1}},
         "destinations": [{"location": "l", "assignments": [{"ref": "x", "value": 0}]}]},
        {"location": "l", "action": "serve", "rate": {"exp": 2},
         "guard": {"exp": {"op": "<", "left": 0, "right": "x"}},
         "destinations": [{"location": "l", "assignments":
            [{"ref": "x", "value": {"op": "-", "left": "x", "right": 1}}]}]}]}],
    "system": {"elements": [{"automaton": "m"}], "syncs": [
        {"synchronise": ["arrive"], "result": "arrive"},
        {"synchronise": ["fail"], "result": "fail"},
        {"synchronise": ["serve"], "result": "serve"}]}}"#;

/// What is printed, and the exit code, on a device.
fn explored_on(device: &str, model: &Path, options: &str) -> (String, Option<i32>) {
    let model = model.display();
    let run = maxend(&format!("explore {model} {options} --device {device}"));
    (run.stdout, run.code)
}

/// The same, which must not depend on the device.
fn explored(model: &Path, options: &str) -> (String, Option<i32>) {
    let on_cpu = explored_on("cpu", model, options);
    if adapter_is_there() {
        let on_gpu = explored_on("gpu", model, options);
        assert_eq!(on_gpu, on_cpu, "{} {options}", model.display());
    }
    on_cpu
}

/// What follows the counts.
fn answers(text: &str) -> &str {
    text.split_once("\n\n").unwrap().1
}

#[test]
fn actions_are_found_in_chains() {
    let folder = tempfile::tempdir().unwrap();
    let mut all = String::new();
    let commands = (1..=20).map(|i| format!("[a{i}] x=0 -> (x'={i}); "));
    let wide = format!(
        "ctmc module m x:[0..20]; {}endmodule",
        commands.collect::<String>()
    );
    for (i, (name, text, searches)) in [
        ("wide.prism", wide.as_str(), "--find-action a19"),
        ("alike.prism", ALIKE, "--find-action b"),
        ("queue.prism", QUEUE, "--find-action serve"),
        ("queue.prism", QUEUE, "--find-action fail"),
        ("queue.prism", QUEUE, "--find-action arrive --find x=2"),
        ("queue.prism", QUEUE, "--check livelock"),
        ("shared.prism", SHARED, "--find-action b"),
        ("shared.prism", SHARED, "--check livelock --find-action a"),
        ("partly.prism", PARTLY, "--check livelock"),
        ("queue.jani", JANI, "--find-action serve"),
        ("queue.jani", JANI, "--find-action fail"),
    ]
    .into_iter()
    .enumerate()
    {
        let model = common::file(&folder, name, text.as_bytes());
        let (said, code) = explored(&model, searches);
        // The whole state space has the same answers, on one device or the other by turns.
        let device = ["cpu", "gpu"][i % 2 * usize::from(adapter_is_there())];
        let options = format!("{searches} -o {}", folder.path().join("out.tra").display());
        let (whole, _) = explored_on(device, &model, &options);
        assert_eq!(answers(&whole), answers(&said), "{name} {searches}");
        let code = code.unwrap();
        writeln!(all, "{name} {searches}\n{said}exit code {code}\n").unwrap();
    }
    insta::assert_snapshot!(all);
}

/// A file has one action for each choice, and what it cannot hold is said.
#[test]
fn actions_are_written_where_all_commands_have_one() {
    let folder = tempfile::tempdir().unwrap();
    let mut all = String::new();
    for (name, text) in [
        ("alike.prism", ALIKE),
        ("queue.prism", QUEUE),
        ("shared.prism", SHARED),
    ] {
        let model = common::file(&folder, name, text.as_bytes());
        let out = folder.path().join("out.tra");
        for (command, option) in [("build", "-o"), ("convert --to prism", "")] {
            let (from, to) = (model.display(), out.display());
            let run = maxend(&format!("{command} {from} {option} {to}"));
            let stderr = run.stderr.lines().filter(|line| line.contains("left out"));
            let stderr = stderr.collect::<Vec<_>>().join("\n");
            let written = fs::read_to_string(&out).unwrap();
            writeln!(all, "{command} {name}\n{stderr}\n{written}").unwrap();
        }
    }
    insta::assert_snapshot!(all);
}
