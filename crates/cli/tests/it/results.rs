//! Results of the binary: each format for a model that is small enough to check by hand, and
//! `convert` to a format and back.

use crate::common;
use crate::common::{Folder, file, maxend, tests};
use std::fmt::Write as _;

/// Times differ from run to run.
fn without_times(text: &str) -> String {
    let mut stable = String::new();
    for line in text.lines() {
        let seconds = [
            "read",
            "build",
            "decompose",
            "certify",
            "check",
            "total",
            "limit",
        ];
        let name = line.trim_start().split([' ', ':']).next().unwrap_or("");
        match seconds.contains(&name.trim_matches('"'))
            && line.bytes().any(|byte| byte.is_ascii_digit())
        {
            true => writeln!(stable, "{name} [TIME]").unwrap(),
            false => writeln!(stable, "{line}").unwrap(),
        }
    }
    stable
}

#[test]
fn formats() {
    let mut all = String::new();
    for args in [
        "decompose good/rounds.tra",
        "decompose good/rounds.tra --components scc",
        "decompose good/rounds.tra --certify",
        "decompose good/rounds.tra --components scc --certify --format json",
        "decompose good/rounds.tra --format labels",
        "decompose good/rounds.tra --format labels --components scc --search tarjan",
        "decompose good/rounds.tra --format prism",
        "decompose good/rounds.tra --format prism --components scc",
        "decompose good/rounds.tra --format prism --choices",
        "decompose good/two_states.tra --format prism",
        "decompose good/rounds.tra --format json",
        "decompose good/rounds.tra --format json --choices --valuations --labels good/rounds.lab",
        "decompose good/rounds.tra --format dot --labels good/rounds.lab",
        "decompose good/deadlock.tra --format labels",
        "decompose good/deadlock.tra --format labels --deadlocks keep",
        "decompose good/storm.tra --format labels",
        "decompose good/lts.tra --format labels",
        "decompose good/rounds.tra --components bscc",
        "decompose good/rounds.tra --components bscc --format prism",
        "decompose good/rounds.tra --components bscc --format json --certify",
        "decompose good/rounds.tra --components bscc --format labels",
        "decompose good/stuck.tra --components bscc --deadlocks keep --format prism",
        "decompose good/storm.tra --statistics",
        "decompose good/walk.prism --const N=300 --format dot",
        "decompose good/walk.prism --const N=6",
        "decompose good/walk.prism --const N=6 --format labels --threads 2",
        "decompose good/walk.prism --const N=6 --format labels --deadlocks keep",
        "decompose good/walk.prism --const N=2 --format prism",
        "decompose good/walk.prism --const N=2 --format json",
        "decompose good/walk.prism --const N=2 --format json --valuations --choices",
        "decompose good/walk.prism --const N=2 --format dot",
        "info good/walk.prism --const N=6",
        "info good/rounds.tra",
        "info good/deadlock.tra",
        "info good/storm.tra",
    ] {
        let run = maxend(&format!("-q {args}"));
        assert_eq!(run.code, Some(0), "{args}\n{}", run.stderr);
        writeln!(all, "$ maxend {args}\n{}", without_times(&run.stdout)).unwrap();
    }
    insta::assert_snapshot!("formats", all);
}

/// A run that reads a file as its standard input.
fn from_input(file: &str, args: &str) -> common::Outcome {
    let text = std::fs::File::open(tests().join(file)).unwrap();
    common::outcome(common::command().args(args.split(' ')).stdin(text))
}

#[test]
fn standard_input_is_a_model_like_any_other() {
    let labels = maxend("decompose -q --format labels good/rounds.tra").result();
    let found = from_input("good/rounds.tra", "decompose -q --format labels -");
    assert_eq!(found.result(), labels);
}

#[test]
fn a_program_is_recognised_by_its_beginning() {
    let expected = maxend("decompose -q --format prism good/walk.prism --const N=5").result();
    let args = "decompose -q --format prism - --const N=5";
    assert_eq!(from_input("good/walk.prism", args).result(), expected);
}

#[test]
fn converting_there_and_back_gives_the_same_model() {
    let folder = tempfile::tempdir().unwrap();
    let (there, back) = (
        folder.path().join("there.tra.gz"),
        folder.path().join("back.tra"),
    );
    maxend(&format!("convert good/rounds.tra {}", there.display())).result();
    maxend(&format!("convert {} {}", there.display(), back.display())).result();
    for ending in ["tra", "lab"] {
        let original = std::fs::read_to_string(tests().join("good/rounds").with_extension(ending));
        let original = original.unwrap();
        let back = std::fs::read_to_string(back.with_extension(ending)).unwrap();
        // PRISM's heading is written, and need not be there.
        assert_eq!(back.split_once('\n').unwrap().1, original);
    }
    assert!(folder.path().join("there.lab.gz").exists());
}

#[test]
fn converting_deadlocks() {
    let mut all = String::new();
    for args in ["-", "- --to prism", "- --to prism --deadlocks self-loop"] {
        let text = maxend(&format!("convert -q good/deadlock.tra {args}")).result();
        writeln!(all, "$ maxend convert good/deadlock.tra {args}\n{text}").unwrap();
    }
    insta::assert_snapshot!("converting_deadlocks", all);
}

#[test]
fn labels_are_never_converted_onto_themselves() {
    let folder = tempfile::tempdir().unwrap();
    let model = file(&folder, "x.tra", b"1 1 1\n0 0 0 1\n");
    let labels = file(&folder, "x.lab", b"0=\"init\"\n0: 0\n");
    let out = folder.path().join("x.storm");
    let run = maxend(&format!("convert {} {}", model.display(), out.display()));
    assert_eq!(run.code, Some(2));
    assert_eq!(std::fs::read(labels).unwrap(), b"0=\"init\"\n0: 0\n");
    assert!(!out.exists(), "nothing is written when not all can be");
}

#[test]
fn initial_states_become_a_label_in_storms_dialect() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("x.tra");
    maxend(&format!("convert good/initial.tra {}", out.display())).result();
    let labels = std::fs::read_to_string(folder.path().join("x.lab")).unwrap();
    assert_eq!(labels, "#DECLARATION\ninit\n#END\n0 init\n");
}

#[test]
fn summaries_use_initial_states_from_labels() {
    let folder = tempfile::tempdir().unwrap();
    let model = file(&folder, "model.tra", b"2 2 2\n0 0 0 1\n1 0 1 1\n");
    let labels = file(&folder, "other.lab", b"0=\"init\"\n0: 0\n1: 0\n");
    let model = model.display();
    let plain = maxend(&format!("decompose {model}")).result();
    assert!(
        plain.contains("reachable  1 (from state 0; the model names no initial state)\n"),
        "{plain}"
    );
    let empty = maxend("decompose ../../../fixtures/empty.tra").result();
    assert!(empty.contains("reachable  0 (from no state)\n"), "{empty}");
    let named = maxend(&format!("decompose {model} --labels {}", labels.display())).result();
    assert!(
        named.contains("reachable  2 (from 2 initial states)"),
        "{named}"
    );
}

#[test]
fn profiles_do_not_change_the_result() {
    let folder = tempfile::tempdir().unwrap();
    let trace = folder.path().join("trace.json");
    let args = "decompose good/rounds.tra --device cpu --certify --format labels";
    let plain = maxend(args);
    let run = maxend(&format!("{args} --profile --trace {}", trace.display()));
    let rows = run.stderr.lines().map(|row| row.split_whitespace().next());
    let names: Vec<&str> = rows.flatten().collect();
    let phases = ["read", "build", "decompose", "certify", "check", "write"];
    assert_eq!(names[0], "phase");
    assert_eq!(names[1..7], phases);
    assert_eq!(names[7..], ["total", "Limited"]);
    assert_eq!(run.result(), plain.result());

    let trace: serde_json::Value = serde_json::from_slice(&std::fs::read(trace).unwrap()).unwrap();
    let events = trace["traceEvents"].as_array().unwrap();
    let events: Vec<_> = events.iter().filter(|event| event["ph"] == "X").collect();
    let names = events.iter().map(|event| event["name"].as_str().unwrap());
    assert_eq!(names.collect::<Vec<_>>(), phases);
    // One after the other.
    let mut end = 0.0;
    for event in events {
        let (start, length) = (
            event["ts"].as_f64().unwrap(),
            event["dur"].as_f64().unwrap(),
        );
        assert!(start >= end - 1e-3 && length >= 0.0, "{event}");
        end = start + length;
    }
}

/// The name of an output file ends in that of another format.
#[test]
fn warnings_of_names() {
    let (folder, mut all) = (Folder::new(), String::new());
    for (command, name) in [
        ("decompose", "x.json"),
        ("decompose -f labels", "x.DOT.gz"),
        ("decompose -f json", "x.umb"),
        ("decompose -f json", "x.json.gz"),
        ("decompose -f labels", "x.labels"),
        ("components --of 0", "x.json"),
        ("bfs", "x.dot"),
        ("bfs", "x.umb"),
        ("cycle-mean", "x.json"),
        ("long-run", "x.json"),
    ] {
        let args = format!("{command} rewards/ring.gr -o @{name}");
        let run = folder.run(&args);
        assert_eq!(run.code, Some(0), "{args}: {}", run.stderr);
        writeln!(all, "$ maxend {args}\n{}", run.stderr).unwrap();
    }
    insta::assert_snapshot!("warnings_of_names", all);
}
