//! Names in models, and names of files, cannot give orders to a terminal.

use crate::common::{Folder, command, outcome};
use std::fmt::Write as _;
use std::fs;

/// Characters that move the cursor, ring and change the colour.
const ORDERS: &str = "a\u{1b}[31m\u{7}b\u{9b}c";

/// Returns what a run prints, without its times.
fn said(folder: &Folder, args: &[&str]) -> String {
    let mut run = command();
    run.current_dir(folder.path(""));
    let run = outcome(run.args(args));
    let is_time = |line: &&str| !line.ends_with(" s");
    let result: Vec<&str> = run.stdout.lines().filter(is_time).collect();
    format!("{}{}\n", run.stderr, result.join("\n"))
}

#[test]
fn terminals_are_not_given_orders() {
    let folder = Folder::new();
    let write = |name: &str, text: String| fs::write(folder.path(name), text).unwrap();
    write("x.tra", "2 2 2\n0 0 1 1\n1 0 1 1\n".to_owned());
    write("x.lab", format!("0=\"init\" 1=\"{ORDERS}\"\n0: 0\n1: 1\n"));
    let transitions = format!("des (0,2,2)\n(0,\"{ORDERS}\",1)\n(1,\"{ORDERS}\",1)\n");
    write("y.aut", transitions);
    let broken = "broken\u{1b}[2J\n.tra";
    write(broken, "1 1 1\n0 0 7 1\n".to_owned());
    let missing = "missing\u{1b}[2J\nerror: all is well";
    let mut all = String::new();
    for args in [
        &["info", "x.tra"][..],
        &["bfs", "x.tra", "--target", ORDERS],
        &["bfs", "y.aut", "--target", "1"],
        &["components", "x.tra", "--of", ORDERS],
        &["components", "y.aut", "--of", "1"],
        &["explore", "y.aut", "--find-action", ORDERS],
        &["convert", "y.aut", "y.drn"],
        &["info", broken],
        &["info", missing],
        &["bfs", "x.tra", "--target", "no\u{1b}c"],
    ] {
        let text = said(&folder, args);
        assert!(
            !text.contains(|c: char| c.is_control() && c != '\n'),
            "{args:?}\n{text}"
        );
        writeln!(all, "{text}").unwrap();
    }
    insta::assert_snapshot!("what_is_shown", all);
}
