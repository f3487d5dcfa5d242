//! `cargo xtask`: the project's own tasks. Each is in a separate file; this file only dispatches.

mod bench;
mod changes;
mod fixtures;
mod generate;
mod program;
mod python;
#[cfg(feature = "program")]
mod rng;
mod setup;
mod shell;
mod snapshot;
#[cfg(feature = "program")]
mod soak;
mod test;
#[cfg(feature = "program")]
mod verify;

use clap::{Parser, Subcommand};
use std::ffi::OsString;
use std::process::ExitCode;

/// The tasks of the project maxend.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Decompose a model: the same as `maxend decompose`
    Decompose(Passed),
    /// Build a model in PRISM's language: the same as `maxend build`
    Build(Passed),
    /// Explore the states of a model: the same as `maxend explore`
    Explore(Passed),
    /// Convert a model to another format: the same as `maxend convert`
    Convert(Passed),
    /// Describe a model: the same as `maxend info`
    Info(Passed),
    /// List the adapters: the same as `maxend devices`
    Devices(Passed),
    Test(test::Arguments),
    /// Install what the tests need, and print what it is for
    Setup,
    /// Build the package for Python, in target/wheels
    Wheel,
    Snapshot(snapshot::Arguments),
    Fixtures(fixtures::Arguments),
    Generate(generate::Arguments),
    Bench(bench::Arguments),
    #[cfg(feature = "program")]
    Soak(soak::Arguments),
    /// Decompose random models with every engine, in random ways, and compare the answers
    #[cfg(not(feature = "program"))]
    Soak(Passed),
    #[cfg(feature = "program")]
    Verify(verify::Arguments),
    /// Examine all kernels, run them on small graphs, and write docs/verification.md
    #[cfg(not(feature = "program"))]
    Verify(Passed),
}

/// Arguments that the command line of maxend reads, not this one.
#[derive(clap::Args)]
#[command(disable_help_flag = true)]
struct Passed {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<OsString>,
}

impl Passed {
    /// Runs maxend's command of this name.
    fn run(self, command: &str) -> ExitCode {
        let command = OsString::from(command);
        program::run(std::iter::once(command).chain(self.arguments))
    }
}

fn main() -> ExitCode {
    let outcome = match Arguments::parse().task {
        Task::Decompose(passed) => return passed.run("decompose"),
        Task::Build(passed) => return passed.run("build"),
        Task::Explore(passed) => return passed.run("explore"),
        Task::Convert(passed) => return passed.run("convert"),
        Task::Info(passed) => return passed.run("info"),
        Task::Devices(passed) => return passed.run("devices"),
        Task::Test(arguments) => test::run(&arguments),
        Task::Setup => setup::run(),
        Task::Wheel => python::wheel(),
        Task::Snapshot(arguments) => snapshot::run(&arguments),
        Task::Fixtures(arguments) => fixtures::run(&arguments),
        Task::Generate(arguments) => generate::run(&arguments),
        Task::Bench(arguments) => bench::run(&arguments),
        #[cfg(feature = "program")]
        Task::Soak(arguments) => soak::run(&arguments),
        #[cfg(not(feature = "program"))]
        Task::Soak(passed) => return program::with_libraries("soak", passed.arguments),
        #[cfg(feature = "program")]
        Task::Verify(arguments) => verify::run(&arguments),
        #[cfg(not(feature = "program"))]
        Task::Verify(passed) => return program::with_libraries("verify", passed.arguments),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
