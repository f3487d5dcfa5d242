//! `cargo xtask test`: runs all checks, in an order in which failures are found early.

use crate::shell::{self, Outcome, answers, cargo, root, shown};
use crate::{setup, snapshot};
use std::ffi::OsStr;
use std::process::Command;
use std::time::{Duration, Instant};
use std::{env, fs, thread};

/// Run all checks: format, lints, documentation, tests, licences, snapshots
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Install nothing; tests that lack a program are skipped
    #[arg(long)]
    no_setup: bool,
    /// Also search every fixture and reference model in every variant of the papers' engine on the
    /// GPU, which takes long
    #[arg(long)]
    full: bool,
}

/// A step, and its result.
struct Step {
    name: &'static str,
    took: Duration,
    note: &'static str,
}

/// The completed steps.
#[derive(Default)]
struct Steps(Vec<Step>);

impl Steps {
    /// Performs a step. Its result is a note.
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

    /// Performs a step that consists of one command.
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

/// Runs all steps up to the first failure, and prints their times.
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
    // Examples are left out, because clippy has checked them, and each would be linked with all of
    // wgpu.
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

/// Runs every variant of the papers' engine. It is not optimised more than the other tests, and not
/// built again: most of the time is spent on the device, and assertions on the host are kept.
fn full(steps: &mut Steps) -> Outcome {
    let mut tests = tests()?;
    tests.args(["--test", "gpu", "--", "--ignored", "--nocapture"]);
    steps.command("full", &mut tests)
}

/// Returns the command `cargo test` for all crates. It has the same features each time, so that
/// nothing is built twice.
fn tests() -> Result<Command, Box<dyn std::error::Error>> {
    let mut command = cargo();
    command.args(["test", "--workspace", "--all-features"]);
    for (variable, value) in QUICKER {
        set_default(&mut command, variable, value);
    }
    // Some tests wait: for another process, or for a device that others use.
    let threads = thread::available_parallelism().map_or(2, |cores| cores.get() + 1);
    set_default(&mut command, "RUST_TEST_THREADS", threads.to_string());
    for (variable, folder) in FOLDERS {
        let folder = root().join(folder);
        fs::create_dir_all(&folder)?;
        set_default(&mut command, variable, folder);
    }
    Ok(command)
}

/// Environment variables with which tests of GPU searches take half of the time on Mesa's software
/// device.
const QUICKER: &[(&str, &str)] = &[
    // The device then computes in the calling thread. Most dispatches take less time than waking
    // another thread.
    ("LP_NUM_THREADS", "0"),
    // The device allocates and frees megabytes for each dispatch. The C library should not return
    // them to the system.
    ("MALLOC_MMAP_THRESHOLD_", "33554432"),
    ("MALLOC_TRIM_THRESHOLD_", "268435456"),
    // If a trace is requested for each panic, wgpu also traces the stack at each lock that it
    // takes.
    ("RUST_LIB_BACKTRACE", "0"),
];

/// Folders that Mesa's drivers need, for machines that do not have them. Without the first, the
/// drivers complain. In the second, they store compiled kernels, which take seconds each, for the
/// next process and the next run.
const FOLDERS: &[(&str, &str)] = &[
    ("XDG_RUNTIME_DIR", "target/runtime"),
    ("MESA_SHADER_CACHE_DIR", "target/kernels"),
];

/// Sets a variable for a command, unless it is set.
fn set_default(command: &mut Command, variable: &str, value: impl AsRef<OsStr>) {
    if env::var_os(variable).is_none() {
        command.env(variable, value);
    }
}
