//! `cargo xtask test`: everything that has to hold, in the order in which it is quickest to fail.

use crate::shell::{self, Outcome, answers, cargo, root, shown};
use crate::{setup, snapshot};
use std::ffi::OsStr;
use std::process::Command;
use std::time::{Duration, Instant};
use std::{env, fs};

/// Check everything that has to hold: format, lints, documentation, tests, licences, snapshots
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Install nothing; tests that lack a program are skipped
    #[arg(long)]
    no_setup: bool,
    /// Search every fixture and reference model in every variant of the GPU engine too, which takes
    /// long
    #[arg(long)]
    full: bool,
}

/// A step and what came of it.
struct Step {
    name: &'static str,
    took: Duration,
    note: &'static str,
}

/// The steps that were done.
#[derive(Default)]
struct Steps(Vec<Step>);

impl Steps {
    /// Does a step, which answers with a note on it.
    fn step(
        &mut self,
        name: &'static str,
        body: impl FnOnce() -> Result<&'static str, Box<dyn std::error::Error>>,
    ) -> Outcome {
        println!("== {name}");
        let start = Instant::now();
        let outcome = body();
        let note = *outcome.as_ref().unwrap_or(&"FAILED");
        let took = start.elapsed();
        self.0.push(Step { name, took, note });
        outcome.map(|_| ())
    }

    /// A step that is one command.
    fn command(&mut self, name: &'static str, command: &mut Command) -> Outcome {
        self.step(name, || {
            println!("   {}", shown(command));
            shell::run(command).map(|()| "ok")
        })
    }

    fn print(&self) {
        println!("\n{:<10} {:>8}", "step", "seconds");
        for step in &self.0 {
            println!(
                "{:<10} {:>8.1}  {}",
                step.name,
                step.took.as_secs_f64(),
                step.note
            );
        }
    }
}

/// Runs all steps up to the first that fails, and says how long they took.
pub(crate) fn run(arguments: &Arguments) -> Outcome {
    let mut steps = Steps::default();
    let outcome = all(arguments, &mut steps);
    steps.print();
    outcome
}

fn all(arguments: &Arguments, steps: &mut Steps) -> Outcome {
    if !arguments.no_setup {
        steps.step("setup", || setup::run().map(|()| "ok"))?;
    }
    steps.command("format", cargo().args(["fmt", "--all", "--check"]))?;
    steps.command(
        "clippy",
        cargo()
            .args(["clippy", "--workspace", "--all-targets", "--all-features"])
            .args(["--", "-D", "warnings"]),
    )?;
    steps.command(
        "docs",
        cargo()
            .args(["doc", "--workspace", "--all-features", "--no-deps"])
            .env("RUSTDOCFLAGS", "-D warnings"),
    )?;
    let references = snapshot::References::new();
    // Not the examples, which clippy has checked: each would be linked, with all of wgpu in it.
    steps.command(
        "tests",
        references.record(tests()?.args(["--lib", "--bins", "--tests"])),
    )?;
    steps.command("doctests", references.record(tests()?.arg("--doc")))?;
    steps.step("snapshots", || {
        references.refuse_unused()?;
        Ok("every snapshot is used")
    })?;
    steps.step("licences", || {
        let deny = ["deny", "--all-features", "check"];
        if !answers(cargo().args(["deny", "--version"])) {
            return Ok("SKIPPED: cargo-deny is not installed");
        }
        shell::run(cargo().args(deny)).map(|()| "ok")
    })?;
    match arguments.full {
        true => full(steps),
        false => Ok(()),
    }
}

/// Every variant of the GPU engine. Not optimised further than the tests before, nor built again:
/// most of the time is the device's, and assertions on the host stay.
fn full(steps: &mut Steps) -> Outcome {
    let mut tests = tests()?;
    tests.args(["--test", "gpu", "--", "--ignored", "--nocapture"]);
    steps.command("full", &mut tests)
}

/// `cargo test` of all crates: with the same features each time, so that nothing is built twice.
fn tests() -> Result<Command, Box<dyn std::error::Error>> {
    let mut command = cargo();
    command.args(["test", "--workspace", "--all-features"]);
    for (variable, value) in QUICKER {
        set_default(&mut command, variable, value);
    }
    for (variable, folder) in FOLDERS {
        let folder = root().join(folder);
        fs::create_dir_all(&folder)?;
        set_default(&mut command, variable, folder);
    }
    Ok(command)
}

/// An environment in which tests of GPU searches take half of the time on Mesa's software device.
const QUICKER: &[(&str, &str)] = &[
    // It computes in the thread that it is used from: most dispatches take less time than waking
    // another thread.
    ("LP_NUM_THREADS", "0"),
    // It takes megabytes for each dispatch and gives them back, which the C library shall not pass
    // on to the system.
    ("MALLOC_MMAP_THRESHOLD_", "33554432"),
    ("MALLOC_TRIM_THRESHOLD_", "268435456"),
    // Where a trace is asked for of each panic, wgpu traces the stack at each lock that it takes,
    // too.
    ("RUST_LIB_BACKTRACE", "0"),
];

/// Folders that Mesa's drivers miss, or use, where the machine has none: without the first they
/// complain. In the second they keep what they compiled, at seconds a kernel, for the next process
/// and the next run.
const FOLDERS: &[(&str, &str)] = &[
    ("XDG_RUNTIME_DIR", "target/runtime"),
    ("MESA_SHADER_CACHE_DIR", "target/kernels"),
];

/// Sets a variable for a command, if it is not set.
fn set_default(command: &mut Command, variable: &str, value: impl AsRef<OsStr>) {
    if env::var_os(variable).is_none() {
        command.env(variable, value);
    }
}
