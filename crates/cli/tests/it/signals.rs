//! Signals: Ctrl-C at any moment, and signals that are ignored.

use crate::common::{command, file, interrupt, stairs, tests};
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};

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
    interrupt(&child);
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

#[test]
fn ctrl_c_ends_an_exploration() {
    let folder = tempfile::tempdir().unwrap();
    let model = file(&folder, "endless.prism", ENDLESS);
    let mut child = exploring("decompose", &model);
    interrupt(&child);
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
#[test]
fn ctrl_c_ends_a_single_step() {
    let folder = tempfile::tempdir().unwrap();
    let together = std::fs::read(tests().join("good/together.prism")).unwrap();
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
        interrupt(&child);
        assert_eq!(child.wait().unwrap().code(), Some(130), "{name}");
        // A machine that is busy with other tests may need a while longer.
        assert!(
            start.elapsed().as_secs() < 5,
            "{name}: {:?}",
            start.elapsed()
        );
    }
}

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
    interrupt(&child);
    for _ in 0..500 {
        std::thread::sleep(std::time::Duration::from_millis(10));
        if let Some(status) = child.try_wait().unwrap() {
            return assert_eq!(status.code(), Some(130));
        }
    }
    child.kill().unwrap();
    panic!("it still waits");
}

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
