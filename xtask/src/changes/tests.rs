//! Tests the reports of changes.

use super::{Change, content, summary};

fn change(model: &str, output: &str, before: Option<&str>, after: &str) -> Change {
    Change {
        model: model.to_owned(),
        output: output.to_owned(),
        before: before.map(str::to_owned),
        after: after.to_owned(),
    }
}

#[test]
fn a_change_is_shown_by_the_lines_that_differ() {
    let before = "$ cargo xtask info a.tra\ntype    MDP\nstates  8\nchoices 13\nend\n";
    let after = before.replace("states  8", "states  9");
    let lines = |from: u32| {
        (from..from + 40)
            .map(|i| format!("{i}\n"))
            .collect::<String>()
    };
    let changes = [
        change("a", "info", Some(before), &after),
        change("a", "labels", Some(&lines(0)), &lines(1)),
        change("a", "prism", Some("one\ntwo\n"), "one\n"),
    ];
    insta::assert_snapshot!("changed", summary(&changes));
}

#[test]
fn a_new_model_is_named_once() {
    let summary_of =
        "$ cargo xtask decompose mine.tra --format summary\nmodel  mine.tra\nstates 3\n";
    let refused = "$ cargo xtask info n.prism\nstderr: error: the constant `N` has no value\nexit status: 1\n";
    let changes = [
        change("mine", "info", None, "$ cargo xtask info mine.tra\n"),
        change("mine", "summary", None, summary_of),
        change("n", "info", None, refused),
    ];
    insta::assert_snapshot!("new", summary(&changes));
}

#[test]
fn summaries_of_many_changes_are_short() {
    let text = |word: &str| format!("{word}\n").repeat(1000);
    let changes: Vec<Change> = (0..100)
        .map(|i| change(&format!("model{i}"), "labels", Some(&text("a")), &text("b")))
        .collect();
    assert!(summary(&changes).lines().count() < 200);
}

#[test]
fn the_header_of_a_snapshot_is_not_compared() {
    let stored = "---\nsource: x.rs\nassertion_line: 7\n---\nfirst\n---\nlast\n";
    assert_eq!(content(stored), "first\n---\nlast\n");
    assert_eq!(content("bare\n"), "bare\n");
}
