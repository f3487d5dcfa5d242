//! What README.md shows of the program is what it prints.

use crate::common::{command, outcome};
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The blocks of a text in Markdown that begin with a command line: that line, and what is below.
fn sessions(markdown: &str) -> Vec<(String, String)> {
    let blocks = markdown.split("\n```").skip(1).step_by(2);
    let sessions = blocks.filter_map(|block| {
        let (_language, block) = block.split_once('\n')?;
        let (first, output) = block.split_once('\n').unwrap_or((block, ""));
        Some((first.strip_prefix("$ ")?.to_owned(), format!("{output}\n")))
    });
    sessions.collect()
}

/// A text without what is different in each run: how long phases took, and which of them limits the
/// run.
fn without_times(text: &str) -> String {
    let lines = text.lines().map(|line| {
        let (name, value) = line.split_once(' ').unwrap_or((line, ""));
        match value.trim_start().strip_suffix(" s") {
            Some(seconds) if seconds.parse::<f64>().is_ok() => format!("{name} [TIME]\n"),
            _ if name == "limit" => "limit [PHASE]\n".to_owned(),
            _ => format!("{line}\n"),
        }
    });
    lines.collect()
}

#[test]
fn samples_in_the_readme_agree_with_the_program() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let sessions = sessions(&readme);
    assert!(sessions.len() >= 4, "{sessions:?}");
    for (line, shown) in sessions {
        let words = line.strip_prefix("maxend ");
        // It is the same program.
        let words = words.or_else(|| line.strip_prefix("cargo xtask "));
        let words = words.expect(&line).split_whitespace();
        let run = outcome(command().current_dir(root()).args(words));
        // On a terminal, what is said on standard error comes before the result.
        let printed = format!("{}{}", run.stderr, run.stdout);
        assert_eq!(without_times(&printed), without_times(&shown), "$ {line}");
    }
}

#[test]
fn only_times_may_differ_from_a_sample() {
    let text = "states     8\nread       0.000220 s\nlimit      reading, 7 %\nMECs 3 s";
    let bare = "states     8\nread [TIME]\nlimit [PHASE]\nMECs [TIME]\n";
    assert_eq!(without_times(text), bare);
    assert_eq!(
        without_times("reads s\nin 5 steps"),
        "reads s\nin 5 steps\n"
    );
}
