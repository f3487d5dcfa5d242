//! `maxend bfs`, as people see it.

use crate::common::{self, adapter_is_there, command, maxend, outcome, transcript};

#[test]
fn distances_paths_and_formats() {
    let all = transcript(
        &[
            "bfs ../../../fixtures/running_example.tra --target goal",
            "bfs ../../../fixtures/running_example.tra --from 4 --from 1 --certify",
            "bfs ../../../fixtures/running_example.tra --from 5 -f labels",
            "bfs ../../../fixtures/die.tra --target six -f json --certify",
            "bfs ../../../fixtures/running_example.tra --target 7 -f dot",
            "bfs good/walk.prism -c N=3 --target lit",
            "bfs good/walk.prism -c N=100 --target lit",
            "bfs good/coin.aut -f labels",
            "bfs ../../../fixtures/dekker.exp",
            "bfs ../../../fixtures/unreachable.tra --target 8",
            "bfs ../../../fixtures/die.tra --from-label six --from 2 -f json --target 0",
            "bfs ../../../fixtures/empty.tra",
            "bfs ../../../fixtures/empty.tra -f json",
            "bfs good/walk.prism -c N=300 -f dot",
        ],
        0,
    );
    insta::assert_snapshot!("distances_paths_and_formats", all);
}

#[test]
fn what_is_refused() {
    let file = "../../../fixtures/running_example.tra";
    let wrong = [
        format!("bfs {file} --from 8"),
        format!("bfs {file} --target 99"),
        format!("bfs {file} --target 99999999999"),
        format!("bfs {file} --target gaol"),
        format!("bfs {file} --from-label start"),
        "bfs ../../../fixtures/unreachable.tra --from-label start".to_owned(),
        "bfs ../../../fixtures/empty.tra --from 0".to_owned(),
    ];
    let mut all = transcript(&wrong, 1);
    let usage = [
        format!("bfs {file} --flags 2"),
        format!("bfs {file} --search edge --flags 4"),
        format!("bfs {file} --from a"),
        format!("bfs {file} --search edge --device cpu"),
        format!("bfs {file} --adapter x --device cpu"),
    ];
    all += &transcript(&usage, 2);
    let missing = format!("bfs {file} --adapter no-such-adapter");
    assert_eq!(maxend(&missing).code, Some(3));
    insta::assert_snapshot!("what_is_refused", all);
}

/// Some texts are neither the number of a state nor a name that a label is likely to have.
#[test]
fn what_names_no_state() {
    let refused = |line: &str, value: &str| {
        let mut command = command();
        let run = outcome(command.args(line.split(' ')).arg(value));
        assert_eq!((run.code, &*run.stdout), (Some(1), ""), "{line} {value}");
        run.stderr
    };
    let file = "../../../fixtures/running_example.tra";
    let labels = "  = its labels are init, deadlock, goal\n";
    for (line, option) in [
        (format!("bfs {file} --target"), "--target"),
        (format!("components {file} --of"), "--of"),
    ] {
        for (value, shown) in [("", "''"), (" ", "' '"), ("-1", "-1"), ("1.5", "1.5")] {
            let expected = format!(
                "error: {option} {shown}: expected the number of a state of {file}, or the name of \
                 a label\n{labels}"
            );
            assert_eq!(refused(&line, value), expected);
        }
    }
    assert_eq!(
        refused(&format!("bfs {file} --from-label"), ""),
        format!("error: --from-label '': {file} has no such label\n{labels}")
    );
    assert_eq!(
        refused("bfs -q ../../../fixtures/unreachable.tra --target", "-1"),
        "error: --target -1: expected the number of a state of \
         ../../../fixtures/unreachable.tra, or the name of a label\n"
    );
}

/// All searches give the same labels; Mesa's lavapipe runs those of a GPU, or the adapter that
/// `MAXEND_ADAPTER` names.
#[test]
fn all_searches_agree() {
    if !adapter_is_there() {
        return;
    }
    let args = "bfs ../../../fixtures/philosophers.prism -c MEALS=1 -f labels";
    let expected = maxend(&format!("{args} --device cpu")).result();
    for search in [
        "",
        "--certify",
        "--search vertex",
        "--search vertex --flags 1",
        "--search edge --flags 2",
        "--search edge --flags 3",
    ] {
        let mut command = command();
        let words = format!("{args} {search}");
        command.args(words.split_whitespace());
        let run = outcome(command.args(["--adapter", &test_models::adapter()]));
        assert_eq!(run.result(), expected, "{search}");
    }
}

/// A label that no state has names no source: of `init` this is what a file without it says.
#[test]
fn labels_that_no_state_has() {
    let folder = tempfile::tempdir().unwrap();
    let model = common::file(&folder, "e.tra", b"2 2 2\n0 0 1 1\n1 0 0 1\n");
    common::file(
        &folder,
        "e.lab",
        b"0=\"init\" 1=\"deadlock\" 2=\"g\"\n1: 2\n",
    );
    let sources = |options: &str| {
        let run = maxend(&format!("bfs {options} {}", model.display()));
        let mut lines = run.stdout.lines();
        let line = lines.find_map(|line| line.strip_prefix("sources"));
        (line.unwrap().trim().to_owned(), run.stderr)
    };
    assert_eq!(sources("").0, "state 0");
    let warning = "warning: no state has the label `deadlock`\n".to_owned();
    assert_eq!(
        sources("--from-label deadlock"),
        ("0 states".to_owned(), warning)
    );
}
