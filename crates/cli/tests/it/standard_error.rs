//! Messages as JSON, and messages that cannot be written.

use crate::common::{self, maxend};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

/// Errors in the command line are objects, too, whether clap or maxend finds them.
#[test]
fn usage_errors_are_json() {
    let mut all = String::new();
    for args in [
        "decompose good/two_states.tra --threads 0",
        "decompose",
        "decompose good/two_states.tra --formt json",
        "good/two_states.tra",
        "explore good/two_states.tra",
        "info good/two_states.tra --log-format=text --threads=0 --log-format",
    ] {
        let run = match args.ends_with("--log-format") {
            true => maxend(&format!("{args} json")),
            false => maxend(&format!("--log-format json {args}")),
        };
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{args}");
        let mut line: serde_json::Value = serde_json::from_str(&run.stderr).expect(&run.stderr);
        line.as_object_mut().unwrap().remove("timestamp");
        writeln!(all, "{args}\n{line}\n").unwrap();
    }
    insta::assert_snapshot!(all);
}

/// If a message cannot be written, the result is written nevertheless.
#[test]
fn a_closed_standard_error_is_not_an_error() {
    if !Path::new("/dev/full").exists() {
        eprintln!("SKIPPED: this system has no /dev/full");
        return;
    }
    for (args, code) in [
        ("decompose good/deadlock.tra -f labels", 0),
        (
            "-v --log-format json decompose good/deadlock.tra -f labels",
            0,
        ),
        ("decompose good/deadlock.tra -f labels --profile", 0),
        ("decompose bad/syntax.tra", 1),
        ("--log-format json decompose bad/syntax.tra", 1),
        ("decompose", 2),
        ("--log-format json decompose", 2),
    ] {
        let full = fs::OpenOptions::new()
            .write(true)
            .open("/dev/full")
            .unwrap();
        let mut command = common::command();
        let output = command.args(args.split(' ')).stderr(full).output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{args}");
        assert_eq!(output.stdout.is_empty(), code != 0, "{args}");
    }
}
