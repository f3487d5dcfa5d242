//! The program `maxend`, which some tasks run, with the optimisation of a release.
//!
//! `cargo xtask` itself is small and quick to build. `cargo run --release` builds the program
//! separately. With the feature `program`, which the tests of this crate enable, the program is
//! linked into `xtask` instead, so that the tests compile nothing twice.

use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, ExitCode};

/// Runs the program with these arguments. Replaces this process if the system supports that.
#[cfg(feature = "program")]
pub(crate) fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let name = OsString::from("maxend");
    maxend::run(std::iter::once(name).chain(arguments))
}

/// Runs the program with these arguments. Replaces this process if the system supports that.
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

/// Returns a command that runs the release build of the program. Unlike other commands of cargo, it
/// runs in the folder in which the task was called, because relative paths refer to that folder.
pub(crate) fn released() -> Command {
    released_of(&["--package", "maxend"])
}

/// Runs a task of this program that needs the libraries and full optimisation.
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

/// Replaces this process by a command.
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
