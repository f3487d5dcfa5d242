//! `cargo xtask snapshot`: compares every output of every fixture with its reviewed snapshot.
//!
//! The comparison itself is a test, `xtask/tests/snapshots.rs`. This file runs it, replaces the
//! snapshots that the user accepts, and finds snapshots that no test of the workspace uses.

use crate::changes::{self, Change};
use crate::shell::{self, Outcome, cargo, root};
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io::{self, BufRead, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::{env, fs};

/// Compare every output of every fixture with its snapshot
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Show each change and ask whether to accept it
    #[arg(long)]
    review: bool,
    /// Accept every change, and delete the snapshots that nothing uses
    #[arg(long, conflicts_with = "review")]
    accept: bool,
}

/// The folder of the snapshots of fixtures.
const FIXTURES: &str = "fixtures/snapshots";
/// The folders that contain snapshots, at any depth.
const EVERYWHERE: &[&str] = &["crates", "fixtures", "xtask"];

/// Runs the comparison, and then handles the differences as the command line asks.
pub(crate) fn run(arguments: &Arguments) -> Outcome {
    let references = References::new();
    for stale in find(&root().join(FIXTURES), "new")? {
        fs::remove_file(stale)?;
    }
    let update = if arguments.accept { "always" } else { "new" };
    let compared = compare(&references, update)?;
    let unused = references.unused(&[FIXTURES])?;
    let proposals = find(&root().join(FIXTURES), "new")?;
    if !compared.status.success() && proposals.is_empty() {
        // Another error: only the output of the test explains it.
        io::stdout().write_all(&compared.stdout)?;
        io::stderr().write_all(&compared.stderr)?;
        return Err("the comparison failed, as it says above".into());
    }
    if arguments.accept {
        unused.iter().try_for_each(fs::remove_file)?;
        return Ok(());
    }
    if arguments.review {
        for proposal in &proposals {
            review(proposal)?;
        }
    } else if !proposals.is_empty() {
        let changes: io::Result<Vec<Change>> = proposals.iter().map(|p| Change::read(p)).collect();
        print!("{}", changes::summary(&changes?));
        let number = proposals.len();
        return Err(format!("not as reviewed: {number} outputs").into());
    }
    refuse(&unused)
}

/// Builds the test and runs it. `update` tells insta what to do with differences. The output of the
/// test is captured, because it is long for each difference.
fn compare(references: &References, update: &str) -> Result<Output, Box<dyn std::error::Error>> {
    let test = || {
        let mut test = cargo();
        test.args(["test", "--package", "xtask", "--features", "program"]);
        test.args(["--test", "snapshots"]);
        test
    };
    shell::run(test().arg("--no-run"))?;
    let mut test = test();
    test.args(["--", "--quiet"]);
    test.env("INSTA_UPDATE", update).env("INSTA_OUTPUT", "none");
    let test = references.record(&mut test);
    test.output()
        .map_err(|error| format!("cannot run `{}`: {error}", shell::shown(test)).into())
}

/// Shows a change and asks whether to accept it.
fn review(change: &Path) -> Outcome {
    let accepted = change.with_extension("");
    let before = if accepted.exists() {
        accepted.as_path()
    } else {
        Path::new("/dev/null")
    };
    // The exit status only says that the files differ.
    let mut diff = Command::new("git");
    diff.args(["--no-pager", "diff", "--no-index", "--"])
        .args([before, change]);
    diff.status()?;
    loop {
        print!("[a]ccept, [r]eject or [s]kip? ");
        io::stdout().flush()?;
        let mut answer = String::new();
        if io::stdin().lock().read_line(&mut answer)? == 0 {
            return Err("no answer".into());
        }
        return match answer.trim() {
            "a" => {
                // In a proposal, insta notes the line of the test, but not in an accepted snapshot.
                let proposed = fs::read_to_string(change)?;
                let lines = proposed
                    .lines()
                    .filter(|line| !line.starts_with("assertion_line:"));
                let kept: String = lines.map(|line| format!("{line}\n")).collect();
                fs::write(accepted, kept)?;
                Ok(fs::remove_file(change)?)
            }
            "r" => Ok(fs::remove_file(change)?),
            "s" => Ok(()),
            _ => continue,
        };
    }
}

/// A record of the snapshots that tests have used. insta appends the path of each.
pub(crate) struct References {
    file: PathBuf,
}

impl References {
    pub(crate) fn new() -> Self {
        let name = format!("maxend-snapshots-{}.txt", std::process::id());
        Self {
            file: env::temp_dir().join(name),
        }
    }

    /// Makes the tests that the command runs keep the record.
    pub(crate) fn record<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        command.env("INSTA_SNAPSHOT_REFERENCES_FILE", &self.file)
    }

    /// Fails if a snapshot of the workspace was not used.
    pub(crate) fn refuse_unused(&self) -> Outcome {
        refuse(&self.unused(EVERYWHERE)?)
    }

    /// Returns the snapshots in these folders of the repository that were not used.
    fn unused(&self, folders: &[&str]) -> io::Result<Vec<PathBuf>> {
        let record = fs::read_to_string(&self.file).unwrap_or_default();
        let used: BTreeSet<PathBuf> = (record.lines())
            .filter_map(|path| fs::canonicalize(path).ok())
            .collect();
        let mut unused = Vec::new();
        for folder in folders {
            for snapshot in find(&root().join(folder), "snap")? {
                if !used.contains(&fs::canonicalize(&snapshot)?) {
                    unused.push(snapshot);
                }
            }
        }
        Ok(unused)
    }
}

impl Drop for References {
    fn drop(&mut self) {
        // The file does not exist if no test ran.
        let _ = fs::remove_file(&self.file);
    }
}

/// Fails if there are unused snapshots.
fn refuse(unused: &[PathBuf]) -> Outcome {
    if unused.is_empty() {
        return Ok(());
    }
    let names: Vec<String> = unused
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    Err(format!(
        "no test looks at these snapshots; `cargo xtask snapshot --accept` deletes those of \
         fixtures:\n  {}",
        names.join("\n  ")
    )
    .into())
}

/// Returns the files with this extension in a folder, at any depth, in order.
fn find(folder: &Path, extension: &str) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs::read_dir(&folder) else {
            continue;
        };
        for entry in entries {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension() == Some(OsStr::new(extension)) {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}
