//! Pipes, files, signals and limits.

use crate::common;
use crate::common::{command, file, maxend, stairs};
use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Command, Stdio};
#[cfg(unix)]
use std::{path::Path, process::Child};

#[test]
fn a_closed_pipe_is_not_an_error() {
    let folder = tempfile::tempdir().unwrap();
    // Much more output than a pipe holds.
    let model = file(&folder, "stairs.tra", stairs(200_000).as_bytes());
    for format in ["labels", "prism", "json", "dot"] {
        let mut child = command()
            .args(["decompose", "--device", "cpu", "--format", format])
            .arg(&model)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut start = [0; 10];
        child.stdout.take().unwrap().read_exact(&mut start).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{format}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{format}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn help_that_cannot_be_printed_is_an_error() {
    for args in [&["--help"][..], &["help", "bfs"], &["--version"]] {
        let full = std::fs::File::options()
            .write(true)
            .open("/dev/full")
            .unwrap();
        let output = command().args(args).stdout(full).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{args:?}");
        let message = String::from_utf8_lossy(&output.stderr);
        let expected = "error: cannot write standard output: ";
        assert!(message.starts_with(expected), "{message}");
    }
}

#[test]
fn an_output_file_appears_whole_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out.labels");
    let to = |model: &str| {
        let out = out.display();
        maxend(&format!(
            "decompose -q {model} --format labels --output {out}"
        ))
    };
    assert_eq!(to("good/rounds.tra").result(), "");
    assert_eq!(std::fs::read_to_string(&out).unwrap(), "0\n1\n1\n3\n-1\n");
    // A wrong model leaves the old result alone, and nothing beside it.
    assert_eq!(to("bad/syntax.tra").code, Some(1));
    assert_eq!(std::fs::read_to_string(&out).unwrap(), "0\n1\n1\n3\n-1\n");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[cfg(unix)]
#[test]
fn an_output_file_has_the_usual_permissions_and_a_device_stays_one() {
    use std::os::unix::fs::{FileTypeExt as _, PermissionsExt as _};
    let folder = tempfile::tempdir().unwrap();
    let (out, usual) = (folder.path().join("out"), folder.path().join("usual"));
    std::fs::write(&usual, "").unwrap();
    maxend(&format!(
        "decompose -q good/rounds.tra --output {}",
        out.display()
    ))
    .result();
    let mode = |path| std::fs::metadata(path).unwrap().permissions().mode();
    assert_eq!(mode(&out), mode(&usual));
    maxend("decompose -q good/rounds.tra --output /dev/null").result();
    assert!(
        std::fs::metadata("/dev/null")
            .unwrap()
            .file_type()
            .is_char_device()
    );
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_a_run_that_waits_for_input() {
    let mut child = command()
        .args(["decompose", "-v", "-"])
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    let mut messages = BufReader::new(child.stderr.take().unwrap());
    messages.read_line(&mut line).unwrap();
    assert!(line.contains("reading <stdin>"), "{line}");
    common::interrupt(&child);
    // Waiting would close what the run reads from.
    let input = child.stdin.take();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    drop(input);
}

/// A model of as many states as there are, which nobody explores to its end.
const ENDLESS: &[u8] = b"mdp
const int MOST = 4000000000;
module m
  x : [0..MOST];
  [] x<MOST-2 -> 0.5 : (x'=x+1) + 0.5 : (x'=x+2);
endmodule
";

/// A run of a command that has begun to explore a model.
#[cfg(unix)]
fn exploring(name: &str, model: &Path) -> Child {
    let mut child = command()
        .args([name, "-v"])
        .arg(model)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let messages = BufReader::new(child.stderr.take().unwrap());
    let mut lines = messages.lines().map(Result::unwrap);
    let begins = lines.any(|line| line.contains("exploring"));
    assert!(begins, "{}", model.display());
    child
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_an_exploration() {
    let folder = tempfile::tempdir().unwrap();
    let model = file(&folder, "endless.prism", ENDLESS);
    let mut child = exploring("decompose", &model);
    common::interrupt(&child);
    assert_eq!(child.wait().unwrap().code(), Some(130));
}

/// As `nohup` and shells, for jobs in the background, start programs.
#[cfg(target_os = "linux")]
#[test]
fn signals_that_are_ignored_from_the_start_stay_ignored() {
    let folder = tempfile::tempdir().unwrap();
    let model = file(&folder, "stairs.tra", stairs(300_000).as_bytes());
    let ignoring = "trap '' INT HUP; exec \"$0\" decompose -q --format json \"$1\"";
    let mut child = Command::new("sh")
        .args(["-c", ignoring, env!("CARGO_BIN_EXE_maxend")])
        .arg(&model)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut out = child.stdout.take().unwrap();
    out.read_exact(&mut [0; 10]).unwrap();
    let pid = child.id().to_string();
    let kill = "kill -INT $0; kill -HUP $0; kill -INT $0; sleep 0.3";
    let kill = Command::new("sh").args(["-c", kill, &pid]).status();
    assert!(kill.unwrap().success());
    let mut rest = Vec::new();
    out.read_to_end(&mut rest).unwrap();
    assert!(rest.ends_with(b"}\n"));
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

/// However long one step takes, or the search for the first state, or the compiler.
#[cfg(unix)]
#[test]
fn ctrl_c_ends_a_single_step() {
    let folder = tempfile::tempdir().unwrap();
    let together = std::fs::read(common::tests().join("good/together.prism")).unwrap();
    let together = String::from_utf8(together).unwrap();
    // All branches lead to one state: no limit is met.
    let merged = together.replace("(x1'=1)", "(x1'=0)");
    // No bounds of the remainders show that the condition never holds.
    let initial = "mdp module m a : [0..1048575]; b : [0..1048575]; c : [0..1048575]; endmodule
        init mod(a+b+c, 7) = 1 & mod(a+b+c, 7) = 2 endinit";
    let models = [
        (
            "merged.prism",
            merged.replace("const bool MANY", "const bool MANY = false"),
        ),
        ("initial.prism", initial.to_owned()),
    ];
    for (name, text) in models {
        let model = file(&folder, name, text.as_bytes());
        let mut child = exploring("info", &model);
        std::thread::sleep(std::time::Duration::from_millis(300));
        assert_eq!(child.try_wait().unwrap(), None, "{name} takes long");
        let start = std::time::Instant::now();
        common::interrupt(&child);
        assert_eq!(child.wait().unwrap().code(), Some(130), "{name}");
        // A machine that is busy with other tests may need a while longer.
        assert!(
            start.elapsed().as_secs() < 5,
            "{name}: {:?}",
            start.elapsed()
        );
    }
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_a_run_that_nobody_reads_from() {
    let folder = tempfile::tempdir().unwrap();
    let model = file(&folder, "stairs.tra", stairs(300_000).as_bytes());
    let mut child = command()
        .args(["decompose", "-q", "--format", "json"])
        .arg(&model)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    // The first bytes are there, the pipe is full: the run is in the middle of its result.
    let mut out = child.stdout.take().unwrap();
    let mut start = [0; 10];
    out.read_exact(&mut start).unwrap();
    common::interrupt(&child);
    for _ in 0..500 {
        std::thread::sleep(std::time::Duration::from_millis(10));
        if let Some(status) = child.try_wait().unwrap() {
            return assert_eq!(status.code(), Some(130));
        }
    }
    child.kill().unwrap();
    panic!("it still waits");
}

#[cfg(unix)]
#[test]
fn ctrl_c_twice_leaves_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let model = file(&folder, "stairs.tra", stairs(300_000).as_bytes());
    let files = || std::fs::read_dir(folder.path()).unwrap().count();
    let mut child = command()
        .args(["decompose", "-q", "--format", "json", "--output"])
        .arg(folder.path().join("out.json.gz"))
        .arg(&model)
        .spawn()
        .unwrap();
    // Until it has begun to write.
    while files() == 1 {
        assert_eq!(child.try_wait().unwrap(), None, "it takes a moment");
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    let pid = child.id().to_string();
    let kill = "kill -INT $0; kill -INT $0";
    let kill = Command::new("sh").args(["-c", kill, &pid]).status();
    kill.unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(files(), 1, "the model alone is left");
}

#[cfg(unix)]
#[test]
fn a_file_that_is_too_large_is_an_error_and_not_left() {
    let folder = tempfile::tempdir().unwrap();
    let model = file(&folder, "stairs.tra", stairs(20_000).as_bytes());
    let out = folder.path().join("out.json");
    let limited = "ulimit -f 8; exec \"$0\" decompose -q --format json \"$1\" --output \"$2\"";
    let mut shell = Command::new("sh");
    shell.args(["-c", limited, env!("CARGO_BIN_EXE_maxend")]);
    let run = common::outcome(shell.arg(&model).arg(&out));
    assert_eq!(run.code, Some(1));
    let said = run.stderr.replace(&out.display().to_string(), "OUT");
    insta::assert_snapshot!(said, @"error: cannot write OUT: File too large (os error 27)");
    let left = std::fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(left, 1, "the model alone is left");
}

/// Nobody waits for threads that are of no use, and one line says so.
#[test]
fn the_number_of_threads_is_limited() {
    let decompose = |options: &str| {
        maxend(&format!(
            "decompose good/rounds.tra --format labels --device cpu {options}"
        ))
    };
    let start = std::time::Instant::now();
    for threads in ["65536", "100000", "18446744073709551615"] {
        let run = decompose(&format!("--threads {threads}"));
        assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
        let said = format!("warning: --threads {threads}: taking ");
        assert!(run.stderr.starts_with(&said), "{}", run.stderr);
        assert!(
            run.stderr
                .ends_with(", 4 for each core; more are of no use\n")
        );
        assert_eq!(run.result(), "0\n1\n1\n3\n-1\n");
    }
    assert!(start.elapsed().as_secs() < 20);
    assert_eq!(decompose("--threads 1").stderr, "");
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
        let run = common::outcome(&mut shell);
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
