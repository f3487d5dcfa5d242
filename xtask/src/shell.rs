//! Running other programs, and the place where the project lies.

use std::error::Error;
use std::path::Path;
use std::process::{Command, Stdio};

/// What a task answers.
pub(crate) type Outcome<T = ()> = Result<T, Box<dyn Error>>;

/// The root of the repository: that in which this was built or, where there is none, as on another
/// machine, the working directory.
pub(crate) fn root() -> &'static Path {
    let xtask = Path::new(env!("CARGO_MANIFEST_DIR"));
    match xtask.parent() {
        Some(root) if root.exists() => root,
        _ => Path::new("."),
    }
}

/// The cargo that runs this task, in the root of the repository.
pub(crate) fn cargo() -> Command {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.current_dir(root());
    command
}

/// Whether a program of this name can be run, asked with the given argument.
pub(crate) fn answers(program: &mut Command) -> bool {
    let quiet = program.stdin(Stdio::null()).stdout(Stdio::null());
    quiet
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// The command as one would type it.
pub(crate) fn shown(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let name = program.file_name().unwrap_or(program.as_os_str());
    std::iter::once(name)
        .chain(command.get_args())
        .map(|word| word.to_string_lossy())
        .collect::<Vec<_>>()
        .join(" ")
}

/// Runs a command whose output the reader sees.
///
/// # Errors
/// Says which command did not start, or failed.
pub(crate) fn run(command: &mut Command) -> Outcome {
    let status = command
        .status()
        .map_err(|error| format!("cannot run `{}`: {error}", shown(command)))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("`{}` failed ({status})", shown(command)).into())
    }
}

/// Runs a command whose output is shown only if it fails.
///
/// # Errors
/// Says which command did not start, or failed, with what it printed.
pub(crate) fn run_quietly(command: &mut Command) -> Outcome {
    let output = command
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("cannot run `{}`: {error}", shown(command)))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(format!("`{}` failed:\n{}", shown(command), said.trim_end()).into())
}
