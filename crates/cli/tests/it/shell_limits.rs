//! Limits of files and of memory that a shell sets.

use crate::common::{file, outcome, stairs};
use std::process::Command;

#[test]
fn a_file_that_is_too_large_is_an_error_and_not_left() {
    let folder = tempfile::tempdir().unwrap();
    let model = file(&folder, "stairs.tra", stairs(20_000).as_bytes());
    let out = folder.path().join("out.json");
    let limited = "ulimit -f 8; exec \"$0\" decompose -q --format json \"$1\" --output \"$2\"";
    let mut shell = Command::new("sh");
    shell.args(["-c", limited, env!("CARGO_BIN_EXE_maxend")]);
    let run = outcome(shell.arg(&model).arg(&out));
    assert_eq!(run.code, Some(1));
    let said = run.stderr.replace(&out.display().to_string(), "OUT");
    insta::assert_snapshot!(said, @"error: cannot write OUT: File too large (os error 27)");
    let left = std::fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(left, 1, "the model alone is left");
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_that_claims_a_billion_states_ends_at_once_in_little_memory() {
    let claims = [
        "1000000000 1000000000 1000000000\n0 0 1 1\n",
        "mdp\n0 0 999999999 1\n",
        "4294967295 1 1\n0 0 1 1\n",
    ];
    for claim in claims {
        let folder = tempfile::tempdir().unwrap();
        let model = file(&folder, "claim.tra", claim.as_bytes());
        let limited = "ulimit -v 300000; exec \"$0\" decompose -q \"$1\"";
        let mut shell = Command::new("sh");
        shell
            .args(["-c", limited, env!("CARGO_BIN_EXE_maxend")])
            .arg(model);
        let start = std::time::Instant::now();
        let run = outcome(&mut shell);
        assert_eq!(
            (run.code, run.stdout.as_str()),
            (Some(1), ""),
            "{claim}{}",
            run.stderr
        );
        assert!(run.stderr.starts_with("error: "), "{}", run.stderr);
        assert!(start.elapsed().as_secs() < 5);
    }
}
