//! Functions that run other programs, and the root of the repository.

use std::error::Error;
use std::path::Path;
use std::process::{Command, Stdio};

/// The result of a task.
pub(crate) type Outcome<T = ()> = Result<T, Box<dyn Error>>;

/// Returns the root of the repository: the one in which this program was built. If it does not
/// exist, as on another machine, returns the working directory.
pub(crate) fn root() -> &'static Path {
    let xtask = Path::new(env!("CARGO_MANIFEST_DIR"));
    match xtask.parent() {
        Some(root) if root.exists() => root,
        _ => Path::new("."),
    }
}

/// Returns a command that runs this task's cargo in the root of the repository.
pub(crate) fn cargo() -> Command {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.current_dir(root());
    command
}

/// Returns whether this command, a program with an argument, runs successfully.
pub(crate) fn answers(program: &mut Command) -> bool {
    let quiet = program.stdin(Stdio::null()).stdout(Stdio::null());
    quiet
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// Returns the command as one would type it.
pub(crate) fn shown(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let name = program.file_name().unwrap_or(program.as_os_str());
    std::iter::once(name)
        .chain(command.get_args())
        .map(|word| word.to_string_lossy())
        .collect::<Vec<_>>()
        .join(" ")
}

/// Runs a command, and shows its output.
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

/// Runs a command, and shows its output only if it fails.
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
