//! The program `maxend`, which some tasks run: optimised, as its users have it.
//!
//! `cargo xtask` itself is small and quick to build. The program is built apart from it, by
//! `cargo run --release`. With the feature `program`, which the tests of this crate turn on, it is
//! linked into `xtask` instead, so that the tests compile nothing twice.

use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, ExitCode};

/// Runs the program with these arguments, in place of this process where the system can do that.
#[cfg(feature = "program")]
pub(crate) fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let name = OsString::from("maxend");
    maxend::run(std::iter::once(name).chain(arguments))
}

/// Runs the program with these arguments, in place of this process where the system can do that.
#[cfg(not(feature = "program"))]
pub(crate) fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    replace(released().args(arguments))
}

/// Builds a model in PRISM's language with a value for its constant, as `maxend build` does.
///
/// # Errors
/// What the program says.
#[cfg(feature = "program")]
pub(crate) fn build(model: &Path, constant: (&str, &str), out: &Path) -> Result<(), String> {
    maxend::build(model, &[constant], out)
}

/// Builds a model in PRISM's language with a value for its constant, as `maxend build` does.
///
/// # Errors
/// The program has said what.
#[cfg(not(feature = "program"))]
pub(crate) fn build(
    model: &Path,
    (constant, value): (&str, &str),
    out: &Path,
) -> Result<(), String> {
    let mut command = released();
    command.arg("build").args([model, Path::new("-o"), out]);
    command.args(["--const", &format!("{constant}={value}")]);
    crate::shell::run(&mut command).map_err(|error| error.to_string())
}

/// The release build of the program, to be given arguments. Unlike other commands of cargo's, it
/// runs in the folder in which the task was called, as relative paths mean that one.
pub(crate) fn released() -> Command {
    released_of(&["--package", "maxend"])
}

/// Runs a task of this program which needs the libraries, and all the speed that there is.
#[cfg(not(feature = "program"))]
pub(crate) fn with_libraries(task: &str, arguments: Vec<OsString>) -> ExitCode {
    let mut command = released_of(&["--package", "xtask", "--features", "program"]);
    replace(command.arg(task).args(arguments))
}

fn released_of(package: &[&str]) -> Command {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    let manifest = crate::shell::root().join("Cargo.toml");
    command.args(["run", "--release"]).args(package);
    command.arg("--manifest-path").arg(manifest).arg("--");
    command
}

/// Runs a command in place of this process, which ends as the command does.
#[cfg(all(unix, not(feature = "program")))]
fn replace(command: &mut Command) -> ExitCode {
    use std::os::unix::process::CommandExt;
    let error = command.exec();
    eprintln!(
        "error: cannot run `{}`: {error}",
        crate::shell::shown(command)
    );
    ExitCode::FAILURE
}

/// Runs a command, and ends as it does.
#[cfg(all(not(unix), not(feature = "program")))]
fn replace(command: &mut Command) -> ExitCode {
    match command.status() {
        Ok(status) => {
            let code = status.code().and_then(|code| u8::try_from(code).ok());
            ExitCode::from(code.unwrap_or(1))
        }
        Err(error) => {
            eprintln!(
                "error: cannot run `{}`: {error}",
                crate::shell::shown(command)
            );
            ExitCode::FAILURE
        }
    }
}
