//! Runs the binary.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// The outcome of a run.
pub(crate) struct Outcome {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// The binary, to be run in the folder of the tests, so that messages name files in one way.
pub(crate) fn command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_maxend"));
    command.current_dir(tests()).stdin(Stdio::null());
    command
}

/// The folder of the tests.
pub(crate) fn tests() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")
}

/// Runs the binary with arguments that are separated by blanks.
pub(crate) fn maxend(args: &str) -> Outcome {
    outcome(command().args(args.split_whitespace()))
}

/// Runs a command to its end.
pub(crate) fn outcome(command: &mut Command) -> Outcome {
    let output = command.output().unwrap();
    Outcome {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

impl Outcome {
    /// Returns the standard output of a successful run.
    pub(crate) fn result(self) -> String {
        assert_eq!(self.code, Some(0), "{}", self.stderr);
        self.stdout
    }
}

/// Returns whether the adapter under test exists. Without it, a test fails in CI, and is skipped
/// elsewhere.
pub(crate) fn adapter_is_there() -> bool {
    let devices = maxend("devices").result().to_lowercase();
    let adapter = test_models::adapter();
    let found = match devices.contains(&adapter.to_lowercase()) {
        true => Ok(()),
        false => Err(format!("there is no adapter {adapter}")),
    };
    test_models::device_or_skip(found).is_some()
}

/// Sends the signal of Ctrl-C to a run, or SIGTERM if the tests run in the background of a shell,
/// where Ctrl-C is ignored.
#[cfg(unix)]
pub(crate) fn interrupt(child: &std::process::Child) {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mut lines = status.lines();
    let ignored = lines.find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.map_or(0, |set| u64::from_str_radix(set.trim(), 16).unwrap());
    let signal = if ignored >> 1 & 1 == 1 {
        "-TERM"
    } else {
        "-INT"
    };
    let pid = child.id().to_string();
    let kill = Command::new("kill").args([signal, &pid]).status();
    assert!(kill.unwrap().success());
}

/// States in a row, each of which may stay or step to the next: as many components.
pub(crate) fn stairs(states: usize) -> String {
    let lines = 2 * states - 1;
    let mut text = format!("{states} {lines} {lines}\n");
    for state in 0..states - 1 {
        let next = state + 1;
        text.push_str(&format!("{state} 0 {state} 1\n{state} 1 {next} 1\n"));
    }
    text + &format!("{0} 0 {0} 1\n", states - 1)
}

/// Writes `text` to a new file in `folder`.
pub(crate) fn file(folder: &tempfile::TempDir, name: &str, text: &[u8]) -> PathBuf {
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    path
}

/// Times differ from run to run.
pub(crate) fn without_times(text: &str) -> String {
    let is_time = |line: &str| match line.trim().split_once("\": ") {
        Some((name, value)) => {
            let phases = [
                "\"read",
                "\"build",
                "\"explore",
                "\"check",
                "\"search",
                "\"solve",
                "\"certify",
            ];
            phases.contains(&name) && value.trim_end_matches(',').parse::<f64>().is_ok()
        }
        None => line.ends_with(" s"),
    };
    let lines: Vec<&str> = text.lines().filter(|line| !is_time(line)).collect();
    lines.join("\n")
}

/// Returns the output of some command lines, all of which end with this code.
pub(crate) fn transcript(commands: &[impl AsRef<str>], code: i32) -> String {
    let mut all = String::new();
    for args in commands.iter().map(AsRef::as_ref) {
        let run = maxend(args);
        assert_eq!(run.code, Some(code), "{args}\n{}", run.stderr);
        let text = without_times(&run.stdout);
        writeln!(all, "$ maxend {args}\n{}{text}", run.stderr).unwrap();
    }
    all
}

/// A temporary folder. In the arguments of [`run`](Self::run), `@x` stands for its file `x`.
pub(crate) struct Folder(TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Runs the binary. In what it says, the folder is `@` again.
    pub(crate) fn run(&self, args: &str) -> Outcome {
        let folder = format!("{}/", self.0.path().display());
        let mut outcome = maxend(&args.replace('@', &folder));
        outcome.stderr = outcome.stderr.replace(&folder, "@");
        outcome
    }

    pub(crate) fn bytes(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap()
    }

    pub(crate) fn text(&self, name: &str) -> String {
        String::from_utf8(self.bytes(name)).unwrap()
    }

    /// The names of all files, in alphabetical order.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.0.path()).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    }
}

/// Writes numbers of 64 bits over those of an entry, from `element` on.
pub(crate) fn patch(bytes: &mut [u8], entry: &str, element: usize, numbers: &[u64]) {
    let name = entry.as_bytes();
    let header = bytes.windows(name.len()).position(|w| w == name).unwrap();
    for (i, number) in numbers.iter().enumerate() {
        let at = header + 512 + (element + i) * 8;
        bytes[at..at + 8].copy_from_slice(&number.to_le_bytes());
    }
}
